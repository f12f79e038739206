import Glibc

/// The resident pages of the program's own code and of its libraries'.
enum ProgramPages {
    /// Drops the pages of code from this process's resident memory. What runs again is mapped again from the page
    /// cache, a few microseconds for each 64 KB.
    ///
    /// Called once, when the start is over: linking, reading the configuration and building type metadata touch most of
    /// the program, and a service at rest uses less than half of that (docs/gateway.md, "Rest").
    ///
    /// Returns how many bytes of code were mapped.
    @discardableResult
    static func drop() -> Int {
        guard let maps = fopen("/proc/self/maps", "r") else { return 0 }
        defer { fclose(maps) }
        var bytes = 0
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, maps) > 0, let text = line.map({ String(cString: $0) }) {
            guard let range = codeRange(inLine: text) else { continue }
            // The code is never written to, so the kernel can always read it again from the file.
            madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
            bytes += range.count
        }
        return bytes
    }

    /// The addresses of a mapping of code from a file; `nil` for every other mapping.
    ///
    /// - Parameter line: of /proc/PID/maps, as in proc(5): addresses, permissions, offset, device, inode, path.
    static func codeRange(inLine line: String) -> Range<UInt>? {
        let fields = line.split(whereSeparator: \.isWhitespace)
        guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { return nil }
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard ends.count == 2, ends[0] < ends[1] else { return nil }
        return ends[0]..<ends[1]
    }
}
