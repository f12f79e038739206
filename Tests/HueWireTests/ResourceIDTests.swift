import Foundation
import Testing

@testable import HueWire

@Suite struct ResourceIDTests {
    private static let hostile = [
        "a b", "a\u{301}", "\u{202E}a", "a\nb", "ä", String(repeating: "a", count: 129), "\u{9B}2J",
    ]

    @Test(arguments: hostile) func `an id that no resource has is refused`(id: String) throws {
        let json = try JSONEncoder().encode([id])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([ResourceID].self, from: json) }
    }

    @Test(arguments: hostile) func `an entry of API v1 with such an id is left out, and the others are read`(id: String)
        throws
    {
        let list = try JSONDecoder().decode(
            V1List<String>.self, from: try JSONEncoder().encode([id: "evil", "1": "lamp"]))
        #expect(list.members.map(\.id) == ["1"] && list.unreadable == ["an id that no resource has"])
    }

    @Test(arguments: ["ecb5fa01-0203-4000-8000-00178801a2b3", "1", "sensors/5", "", "AB12cd-XyZ"])
    func `others are taken as they are`(id: String) throws {
        #expect(try JSONDecoder().decode([ResourceID].self, from: try JSONEncoder().encode([id])) == [ResourceID(id)])
    }
}
