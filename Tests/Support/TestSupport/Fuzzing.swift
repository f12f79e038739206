import Foundation

/// Feeds damaged samples to a parser, and checks laws that hold for every input.
///
/// The suite runs a fixed number of inputs, the same in every run. `make fuzz` sets `LIGHTD_TEST_FUZZ_SECONDS`: each
/// target then runs for that long with other inputs in each run. Inputs come in batches, each with a seed of its own,
/// noted in `.build/fuzz/TARGET.seed` before it starts: after a trap, `LIGHTD_TEST_FUZZ_SEED` repeats the batch.
public struct Fuzzing: Sendable {
    public static let batchSize = 400

    private let target: String
    public init(_ target: String) { self.target = target }

    /// Runs batches of ``batchSize`` inputs.
    ///
    /// - Parameter count: how many batches the suite runs.
    public func batches(_ count: UInt64, _ run: (UInt64) async throws -> Void) async throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["LIGHTD_TEST_FUZZ_SEED"].flatMap(UInt64.init) { return try await run(seed) }
        guard let seconds = environment["LIGHTD_TEST_FUZZ_SECONDS"].flatMap(Int.init) else {
            for seed in 0..<count { try await run(seed) }
            return
        }
        let directory = URL(filePath: Repository.file(".build/fuzz"))
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let end = ContinuousClock.now + .seconds(seconds)
        var batches = 0
        repeat {
            let seed = UInt64.random(in: 0 ... .max)
            try Data("\(seed)\n".utf8).write(to: directory.appending(path: target + ".seed"))
            try await run(seed)
            batches += 1
        } while ContinuousClock.now < end
        print("fuzz \(target): \(batches * Self.batchSize) inputs in \(seconds) s")
    }

    /// Checks damaged samples.
    ///
    /// - Parameters:
    ///   - samples: real inputs, which the parser accepts.
    ///   - check: throws if a law does not hold.
    /// - Throws: the law that an input breaks, with the input and its seed, also if it takes longer than any parser
    ///   may.
    public func inputs(
        _ samples: [[UInt8]], batches count: UInt64, _ check: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        try await batches(count) { seed in
            try await onOwnThread {
                var random = SplitMix(seed: seed)
                for _ in 0..<Self.batchSize {
                    let input = random.damaged(samples)
                    do {
                        let started = Self.processorTime
                        try check(input)
                        let spent = Self.processorTime - started
                        if spent > Self.longest { throw TestError("took \(spent) of processor time") }
                    } catch {
                        throw TestError(
                            "\(target), seed \(seed), \(input.count) bytes: \(error)\n"
                                + String(decoding: input.prefix(2000), as: UTF8.self).debugDescription)
                    }
                }
            }
        }
    }

    /// The same for a parser of text.
    public func texts(
        _ samples: [String], batches count: UInt64, _ check: @escaping @Sendable (String) throws -> Void
    ) async throws {
        try await inputs(samples.map { Array($0.utf8) }, batches: count) {
            try check(String(decoding: $0, as: UTF8.self))
        }
    }

    /// No input is longer than 100 kB: even a debug build with a sanitizer reads that in a fraction of this.
    private static let longest = Duration.seconds(10)

    /// Of this thread: other work on the machine does not count.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}

extension SplitMix {
    /// A sample as it is, or damaged up to four times: by random bytes, or by pieces of other samples.
    fileprivate mutating func damaged(_ samples: [[UInt8]]) -> [UInt8] {
        var bytes = samples.randomElement(using: &self) ?? []
        for _ in 0..<Int.random(in: 0...4, using: &self) {
            if Bool.random(using: &self), let other = samples.randomElement(using: &self), !other.isEmpty {
                let start = Int.random(in: 0..<other.count, using: &self)
                let end = min(other.count, start + Int.random(in: 1...40, using: &self))
                let place = Int.random(in: 0...bytes.count, using: &self)
                // In place of as many bytes, or between them.
                let replaced = Bool.random(using: &self) ? min(bytes.count, place + end - start) : place
                bytes.replaceSubrange(place..<replaced, with: other[start..<end])
            } else {
                bytes = mutated(bytes)
            }
        }
        return bytes
    }

    /// Random damage: changed and lost bytes, cut ends, doubled text, numbers out of range, values of other types.
    public mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return Array(Self.nonsense.randomElement(using: &self)!.utf8) }
        var bytes = bytes
        let place = Int.random(in: 0..<bytes.count, using: &self)
        switch Int.random(in: 0..<9, using: &self) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
        case 1: bytes.remove(at: place)
        case 2: bytes = Array(bytes[..<place])
        case 3: bytes = Array(bytes[place...])
        case 4: bytes.insert(contentsOf: Self.nonsense.randomElement(using: &self)!.utf8, at: place)
        case 5: bytes += bytes
        case 6:
            // A number becomes another one.
            guard let start = bytes.indices.filter({ (48...57).contains(bytes[$0]) }).randomElement(using: &self) else {
                return bytes
            }
            let end = bytes[start...].firstIndex { !(48...57).contains($0) && $0 != 46 } ?? bytes.endIndex
            bytes.replaceSubrange(start..<end, with: Self.numbers.randomElement(using: &self)!.utf8)
        case 7:
            // A value becomes one of another type.
            guard let colon = bytes.indices.filter({ bytes[$0] == UInt8(ascii: ":") }).randomElement(using: &self)
            else {
                return bytes
            }
            let stops = Array(",}]".utf8)
            let end = bytes[colon...].firstIndex { stops.contains($0) } ?? bytes.endIndex
            bytes.replaceSubrange(
                (colon + 1)..<max(end, colon + 1), with: Self.values.randomElement(using: &self)!.utf8)
        default: bytes = Array(Self.nonsense.randomElement(using: &self)!.utf8)
        }
        return Array(bytes.prefix(100_000))
    }

    private static let numbers = [
        "0", "-1", "1e400", "-1e308", "9223372036854775807", "9223372036854775808", "18446744073709551616", "0.5",
        "65536", "255", "-32768", "1e-400", "00", "0x10", "NaN",
    ]
    private static let values = [
        "null", "true", "[]", "{}", #""""#, "1e999", "-0", #""\ud800""#, "[[]]", #"{"on":null}"#, "[0.1]",
        "[0.1,0.2,0.3]", "[null,null]",
    ]
    private static let nonsense = [
        "", "{", "}", "[[[[", String(repeating: "[", count: 10_000), String(repeating: #"{"a":"#, count: 2_000),
        "\u{0}", "🙂", "%", "%zz", "%00", "//", "..", "?", "#", " ", "\r\n", #""\u0000""#, "ÿ",
        String(repeating: "x", count: 5_000), "-", "9223372036854775808",
    ]
}
