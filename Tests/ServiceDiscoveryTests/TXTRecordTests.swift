import Testing

@testable import ServiceDiscovery

@Suite struct TXTRecordTests {
    static let records: [[TXTRecord.Entry]] = [
        [
            .init(key: "bridgeid", value: Array("ECB5FAFFFE010203".utf8)),
            .init(key: "modelid", value: Array("BSB002".utf8)),
        ],
        [.init(key: "flag", value: nil)],
        [.init(key: "empty", value: [])],
        [.init(key: "flag", value: nil), .init(key: "empty", value: []), .init(key: "last", value: [1])],
        [.init(key: "binary", value: [0, 255, 61, 128, 10])],
        [.init(key: "full", value: [UInt8](repeating: 7, count: 250)), .init(key: "after", value: [1])],
        [.init(key: String(repeating: "k", count: 255), value: nil)],
        [.init(key: "twice", value: [1]), .init(key: "twice", value: [2])],
    ]

    @Test(arguments: records) func `writing and reading round-trip`(entries: [TXTRecord.Entry]) throws {
        #expect(TXTRecord(bytes: try TXTRecord(entries).wire()).entries == entries)
    }

    @Test(arguments: [[:], ["a": ""], ["bridgeid": "ecb5fafffe010203", "modelid": "BSB002"], ["name": "Küche = 厨房"]])
    func `a text dictionary round-trips`(text: [String: String]) throws {
        #expect(TXTRecord(bytes: try TXTRecord(text).wire()).text == text)
    }

    @Test func `a record without entries is one empty entry, as DNS requires`() throws {
        #expect(try TXTRecord([:]).wire() == [0])
        #expect(TXTRecord(bytes: [0]).entries.isEmpty)
        #expect(TXTRecord(bytes: []).entries.isEmpty)
    }

    @Test(arguments: [
        TXTRecord.Entry(key: "", value: [1]), .init(key: "a=b", value: nil), .init(key: "Küche", value: nil),
        .init(key: "line\n", value: nil),
        .init(key: "long", value: [UInt8](repeating: 0, count: 251)),
        .init(key: String(repeating: "k", count: 256), value: nil),
    ])
    func `an invalid entry is refused with its key`(entry: TXTRecord.Entry) {
        #expect(throws: DiscoveryError.badText(key: entry.key)) { try TXTRecord([entry]).wire() }
    }

    @Test func `keys are lower case, and the first of two equal keys counts`() {
        let record = TXTRecord([
            .init(key: "BridgeID", value: [65]), .init(key: "bridgeid", value: [66]), .init(key: "Flag", value: nil),
        ])
        #expect(record.text == ["bridgeid": "A", "flag": ""])
    }

    @Test func `invalid UTF-8 does not hide other entries`() {
        #expect(TXTRecord(bytes: [3, 97, 61, 255, 3, 98, 61, 99]).text == ["a": "\u{FFFD}", "b": "c"])
    }

    @Test func `an entry without a key is skipped, and a truncated one ends the record`() {
        #expect(TXTRecord(bytes: [2, 61, 97, 3, 98, 61, 99, 9, 100, 61]).text == ["b": "c"])
    }

    @Test func `any bytes can be read`() {
        var noise = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<600, using: &noise)).map { _ in UInt8.random(in: 0...255, using: &noise)
            }
            let read = TXTRecord(bytes: bytes)
            #expect(read.entries.reduce(0) { $0 + ($1.value?.count ?? 0) } <= bytes.count, "\(bytes)")
        }
    }
}
