import ControlProtocol
import Foundation
import Testing

@testable import lightctl

@Suite struct FormattingTests {
    @Test(arguments: [(0, "0"), (12.5, "12.5"), (39.96, "40"), (-0.04, "0"), (-1.25, "-1.3")])
    func `a number has at most one decimal`(value: Double, words: String) {
        #expect(number(value) == words)
    }

    @Test(arguments: [
        (0, "0 s"), (59, "59 s"), (60, "1 min"), (11_520, "3 h 12 min"), (187_200, "2 d 4 h"), (-5, "0 s"),
    ])
    func `an uptime shows its two largest units`(seconds: Double, words: String) {
        #expect(uptime(seconds: seconds) == words)
    }

    @Test func `alternatives are joined by commas and or`() {
        #expect(alternatives(["a"]) == "'a'")
        #expect(alternatives(["a", "b", "c"]) == "'a', 'b' or 'c'")
    }

    @Test func `JSON holds no character that a terminal obeys, and is the same data`() throws {
        let names = ["\u{9B}2J", "a\u{7F}\u{202E}b", "\u{1B}[2J", "k\u{E0041}", "Küche 👩‍👩‍👧"]
        let json = Console.json(names, pretty: true)
        #expect(json.contains(#""\u009b2J""#) && json.contains(#"k\udb40\udc41"#) && json.contains("Küche 👩‍👩‍👧"))
        #expect(json.unicodeScalars.allSatisfy { $0 == "\n" || PrintableText.isPrintable("é\($0)é") })
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == names)
    }
}
