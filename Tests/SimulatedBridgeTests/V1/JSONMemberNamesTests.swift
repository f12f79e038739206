import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct JSONMemberNamesTests {
    @Test(
        arguments: [
            (#"{"z":1,"a":2,"m":3}"#, ["z", "a", "m"]),
            ("{}", []), (" {\n} ", []), ("[1,2]", []), (#""on""#, []), ("12", []), ("", []),
            // Names inside values, or in strings, do not belong to the outermost object.
            (#"{"b":{"x":1,"y":[{"q":2}]},"a":["c",{"d":1}]}"#, ["b", "a"]),
            (#"{"b":"a\":{,\\","a":"}"}"#, ["b", "a"]),
            (#"[{"a":1}]"#, []),
            (#"{ "b" : true , "a" : null }"#, ["b", "a"]),
            // Unescaped, as the decoder reads them.
            (#"{"on":1,"é":2,"q\"q":3}"#, ["on", "é", "q\"q"]),
            (#"{"a":1,"b":2,"a":3}"#, ["a", "b", "a"]),
        ] as [(String, [String])])
    func `the names come in the order of the text`(text: String, names: [String]) {
        #expect(JSONMemberNames.inOrder(of: Array(text.utf8)) == names)
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func `the names of a random object come in its order`(seed: UInt64) throws
    {
        var random = SplitMix(seed: seed)
        let values = [#""x\"y""#, "1.5e3", "true", "null", #"[1,{"in":[]}]"#, #"{"deep":{"er":"}"}}"#, "[]", "{}"]
        let names = (0..<Int.random(in: 0...12, using: &random)).map { "n\($0)\u{1F4A1}\"\\" }.shuffled(using: &random)
        let members = try names.map { name in
            let written = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
            return written + [":", " : ", ":\n"].randomElement(using: &random)! + values.randomElement(using: &random)!
        }
        let text = Array("{\(members.joined(separator: [",", " ,\t"].randomElement(using: &random)!))}".utf8)
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text)).object?.count == names.count)
        #expect(JSONMemberNames.inOrder(of: text) == names)
        #expect(try V1Body(text, at: "").members.map(\.name) == names)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `of random text, the names found are those of its JSON object, if it is one`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let alphabet = Array(#"{}[]",:\a1 "#.utf8) + [0, 0xFF]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
            // To call it at all is the point: it must not trap.
            let names = JSONMemberNames.inOrder(of: text)
            if let object = try? JSONDecoder().decode(JSONValue.self, from: Data(text)).object {
                #expect(Set(names) == Set(object.keys), "\(String(decoding: text, as: UTF8.self))")
            }
        }
    }
}
