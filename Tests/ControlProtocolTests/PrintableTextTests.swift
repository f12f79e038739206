import Testing

@testable import ControlProtocol

@Suite struct PrintableTextTests {
    @Test(arguments: [
        "Desk", "Küche", "Ku\u{308}che", "キッチン", "مطبخ", "מטבח", "می\u{200C}خواهم", "क\u{94D}\u{200D}ष", "👩‍👩‍👧", "❤️", "❤️‍🔥",
        "1️⃣", "°C", "a\\b", "\u{E000}", "",
    ])
    func `what can be seen stays as it is, with what its language needs`(text: String) {
        #expect(PrintableText.line(text) == text && PrintableText.isPrintable(text))
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb", #"a\u{1b}[2Jb"#), ("a\nb\tc\r\nd", "a b c  d"), ("a\u{85}b\u{2028}c\u{2029}d", "a b c d"),
        ("\u{7F}\u{9B}31m", #"\u{7f}\u{9b}31m"#), ("a\u{202E}b\u{2066}c\u{200F}", #"a\u{202e}b\u{2066}c\u{200f}"#),
        ("pan\u{200B}el\u{FEFF}", #"pan\u{200b}el\u{feff}"#), ("pan\u{200D}el", #"pan\u{200d}el"#),
        ("a\u{FE0F}b", #"a\u{fe0f}b"#), ("1\u{FE0F}", #"1\u{fe0f}"#), ("é\u{200D}\u{200D}é", #"é\u{200d}\u{200d}é"#),
        ("💡\u{E0041}\u{E007F}", #"💡\u{e0041}\u{e007f}"#), ("\u{3164}\u{115F}", #"\u{3164}\u{115f}"#),
        // Drawn onto what stands before the text.
        ("\u{301}Desk", "\\u{301}Desk"), ("\u{20E3}", #"\u{20e3}"#), ("e\u{301}", "e\u{301}"),
        // A control that a combining mark or a letter before it makes part of a Character.
        ("\u{D4E}\u{9B}2J", "\u{D4E}\\u{9b}2J"), ("a\u{600}\nb", "a\u{600} b"),
    ])
    func `what controls, hides or turns round is written out`(text: String, line: String) {
        #expect(PrintableText.line(text).unicodeScalars.elementsEqual(line.unicodeScalars), "\(line.debugDescription)")
    }
}
