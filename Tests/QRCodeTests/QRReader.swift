/// Reads an undamaged QR code of bytes with error correction M as ISO/IEC 18004 says, without the library's help.
struct QRReader {
    struct Unreadable: Error {
        let reason: String
    }

    private let rows: [[Bool]]
    private let version: Int
    private var size: Int { rows.count }

    init(_ rows: [[Bool]]) throws {
        self.rows = rows
        version = (rows.count - 17) / 4
        guard (1...40).contains(version), rows.count == 17 + 4 * version else { throw Unreadable(reason: "size") }
        for (row, column) in [(0, 0), (0, size - 7), (size - 7, 0)] {
            let pattern = (0..<7).map { y in (0..<7).map { rows[row + y][column + $0] } }
            for y in 0..<7 {
                for x in 0..<7 where pattern[y][x] != (max(abs(x - 3), abs(y - 3)) != 2) {
                    throw Unreadable(reason: "no finder pattern at \(row), \(column)")
                }
            }
        }
    }

    var text: String {
        get throws {
            var bits = codewords.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }[...]
            func number(_ count: Int) -> Int { bits.prefix(count).reduce(0) { $0 << 1 | Int($1) } }
            guard number(4) == 4 else { throw Unreadable(reason: "mode \(number(4))") }
            bits = bits.dropFirst(4)
            let lengthBits = version < 10 ? 8 : 16
            let length = number(lengthBits)
            bits = bits.dropFirst(lengthBits)
            let bytes = (0..<length).map { _ in
                defer { bits = bits.dropFirst(8) }
                return UInt8(number(8))
            }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw Unreadable(reason: "UTF-8") }
            return text
        }
    }

    /// Those of the data, in their order.
    private var codewords: [UInt8] {
        let raw = interleaved
        let blocks = Self.blocks[version - 1]
        let dataCount = raw.count - blocks * Self.correction[version - 1]
        let (shortLength, longBlocks) = (dataCount / blocks, dataCount % blocks)
        var data = [[UInt8]](repeating: [], count: blocks)
        var next = 0
        for place in 0...shortLength {
            // The longer blocks come last, and have one more at the end.
            for block in 0..<blocks where place < shortLength || block >= blocks - longBlocks {
                data[block].append(raw[next])
                next += 1
            }
        }
        return data.flatMap { $0 }
    }

    /// The modules that are no pattern, unmasked, upwards and downwards in columns of two.
    private var interleaved: [UInt8] {
        let mask = [(8, 2), (8, 3), (8, 4)].reduce(0) { $0 << 1 | (rows[$1.0][$1.1] ? 1 : 0) } ^ 0b101
        var bits: [UInt8] = []
        var (right, isUpwards) = (size - 1, true)
        while right > 0 {
            if right == 6 { right -= 1 }
            for step in 0..<size {
                let y = isUpwards ? size - 1 - step : step
                for x in [right, right - 1] where !isPattern(x, y) {
                    bits.append((rows[y][x] != Self.isInverted(mask, x, y)) ? 1 : 0)
                }
            }
            (right, isUpwards) = (right - 2, !isUpwards)
        }
        return stride(from: 0, to: bits.count - bits.count % 8, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
    }

    private static func isInverted(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// Finders with their borders and the format, timing, alignment, version.
    private func isPattern(_ x: Int, _ y: Int) -> Bool {
        if x < 9 && y < 9 || x >= size - 8 && y < 9 || x < 9 && y >= size - 8 { return true }
        if x == 6 || y == 6 { return true }
        if version >= 7, x >= size - 11 && y < 6 || y >= size - 11 && x < 6 { return true }
        let centres = alignmentCentres
        guard let first = centres.first, let last = centres.last else { return false }
        return centres.contains { row in
            centres.contains { column in
                // None lies on a finder.
                ![(first, first), (first, last), (last, first)].contains { $0 == (row, column) }
                    && abs(x - column) <= 2 && abs(y - row) <= 2
            }
        }
    }

    private var alignmentCentres: [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = version == 32 ? 26 : (version * 4 + count * 2 + 1) / (2 * count - 2) * 2
        return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
    }

    /// Codewords of error correction for each block, by version; table 9 of the standard.
    private static let correction = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
        26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ]
    /// Blocks, by version.
    private static let blocks = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
        17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
    ]
}
