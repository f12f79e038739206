import ControlProtocol
import TestSupport
import Testing

@testable import lightctl

@Suite struct SitePatternTests {
    private static func site(_ name: String, _ tags: [String] = []) -> SiteBody {
        SiteBody(
            site: name, online: true,
            info: SiteInfo(version: "1", site: name, started: "", tags: tags, bridges: [], lights: 0))
    }

    /// All texts of these letters up to a length.
    private static func texts(of letters: [Character], upTo length: Int) -> [String] {
        (0..<length).reduce(into: [""]) { texts, _ in texts += texts.flatMap { text in letters.map { text + [$0] } } }
            .unique
    }

    @Test func `a star stands for any text, as in a shell`() throws {
        /// What a shell's rule says, letter by letter.
        func matches(_ pattern: Substring, _ text: Substring) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                return matches(pattern.dropFirst(), text) || (!text.isEmpty && matches(pattern, text.dropFirst()))
            }
            return text.first == first && matches(pattern.dropFirst(), text.dropFirst())
        }
        let names = Self.texts(of: ["a", "b"], upTo: 5).filter { !$0.isEmpty }
        for pattern in Self.texts(of: ["a", "b", "*"], upTo: 4) where !pattern.isEmpty {
            let read = try SitePattern(pattern)
            for name in names {
                #expect(read.matches(Self.site(name)) == matches(pattern[...], name[...]), "\(pattern) \(name)")
            }
            #expect((read.only == pattern) == !pattern.contains("*"))
        }
    }

    @Test func `tags and several sites`() throws {
        let lobby = Self.site("hotel-1", ["lobby", "north"])
        #expect(try SitePattern("tag=lobby").matches(lobby))
        #expect(try !SitePattern("tag=lob").matches(lobby))
        #expect(try !SitePattern("lobby").matches(lobby))
        #expect(try SitePattern("motel,tag=north").matches(lobby))
        #expect(try SitePattern("motel,hotel-*").matches(lobby))
        #expect(try SitePattern("a,b").only == nil)
        #expect(try SitePattern("tag=a").only == nil)
        #expect(try !SitePattern("tag=a").matches(SiteBody(site: "a", online: false, info: nil)))
    }

    @Test(arguments: ["", ",", "a,", "Hotel", "a b", "a/b", "+", "#", "tag=", "tag=*", "hotel_1", "ä", "a?", "tag=A"])
    func `what names no site is refused`(text: String) {
        #expect(throws: ErrorReply.self) { try SitePattern(text) }
    }
}
