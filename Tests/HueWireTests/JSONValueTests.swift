import Foundation
import HueWire
import TestSupport
import Testing

@Suite struct JSONValueTests {
    @Test(arguments: 0..<200) func `any JSON is decoded as it was encoded`(seed: Int) throws {
        var generator = SplitMix(seed: UInt64(seed))
        let value = JSONValue.any(&generator, depth: 4)
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test func `true is not a number and 1 is not a boolean`() throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(#"[true,1,1.5,"1",null,{},[]]"#.utf8))
        #expect(value == [true, 1, 1.5, "1", .null, [:], []])
        #expect(value.array?.map(\.int) == [nil, 1, nil, nil, nil, nil, nil])
        #expect(value.array?.map(\.double) == [nil, 1, 1.5, nil, nil, nil, nil])
        #expect(value.array?.map(\.bool) == [true, nil, nil, nil, nil, nil, nil])
        #expect(value.array?.map(\.string) == [nil, nil, nil, "1", nil, nil, nil])
    }

    @Test func `a whole number is an integer, even if made from a Double`() {
        #expect(JSONValue.number(366).int == 366)
        #expect(JSONValue.number(366.5).int == nil)
        #expect(JSONValue.number(1e300).int == nil)
        #expect((["a": ["b": 7]] as JSONValue)["a"]?["b"]?.int == 7)
        #expect((["a": 1] as JSONValue)["b"] == nil)
        #expect((["a"] as JSONValue)["a"] == nil)
    }

    @Test func `whole numbers beyond Int are Doubles`() throws {
        #expect(
            try JSONDecoder().decode(JSONValue.self, from: Data("18446744073709551616".utf8))
                == .number(18446744073709551616))
    }
}
