import TestSupport
import Testing

@testable import ServiceDiscovery

/// TXT records as any host in the network may send them.
@Suite struct FuzzTests {
    @Test func `every damaged TXT record is read, and written again if its keys are valid`() async throws {
        let samples = try TXTRecordTests.records.map { try TXTRecord($0).wire() }
        try await Fuzzing("txt-records").inputs(samples, batches: 5) { bytes in
            let record = TXTRecord(bytes: bytes)
            let size = record.entries.reduce(0) { $0 + 1 + $1.key.utf8.count + ($1.value.map { $0.count + 1 } ?? 0) }
            // A byte that is not UTF-8 becomes U+FFFD, which has three.
            guard size <= 3 * bytes.count else { throw TestError("\(size) bytes were read from \(bytes.count)") }
            guard record.text.keys.allSatisfy({ $0 == $0.lowercased() }) else { throw TestError("a key in capitals") }
            do throws(DiscoveryError) {
                guard TXTRecord(bytes: try record.wire()) == record else {
                    throw .badText(key: "does not read back as itself")
                }
            } catch {
                guard case let .badText(key) = error, record.entries.contains(where: { $0.key == key }) else {
                    throw TestError("\(error)")
                }
            }
        }
    }
}
