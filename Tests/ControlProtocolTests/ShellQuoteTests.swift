import Testing

@testable import ControlProtocol

/// That real shells read it as meant is tested with ShellWords and with the completions.
@Suite struct ShellQuoteTests {
    @Test(arguments: [
        ("desk", "desk"), ("Küche", "Küche"), ("ecb5fafffe010203/1-a_b", "ecb5fafffe010203/1-a_b"), ("40%", "40%"),
        ("floor lamp", "'floor lamp'"), ("it's", #"'it'\''s'"#), ("", "''"), ("#ff8800", "'#ff8800'"), ("~", "'~'"),
        ("=ls", "'=ls'"), ("%self", "'%self'"), ("a\u{A0}b", "'a\u{A0}b'"), ("a!b", "'a!b'"), ("a;id", "'a;id'"),
        ("'\u{301}; id; '\u{301}", #"''\''"# + "\u{301}; id; " + #"'\''"# + "\u{301}'"), ("a\nb", "'a\nb'"),
    ])
    func `a word of a line stands in quotes if anything in it means something to a shell`(text: String, word: String) {
        #expect(ShellQuote.word(text).unicodeScalars.elementsEqual(word.unicodeScalars))
    }

    @Test func `a name that begins like an option is none`() {
        #expect(ShellQuote.line("lightctl pair", operand: "--wait") == "lightctl pair -- --wait")
        #expect(ShellQuote.line("lightctl token revoke", operand: "my panel") == "lightctl token revoke 'my panel'")
    }
}
