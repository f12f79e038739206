import Foundation
import Languages
import Testing

/// Every text of the page has its German, and no German is left of a text that is gone.
@Suite struct CatalogueTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")

    @Test func `every text of the page's files is in the German catalogue, and no other`() throws {
        let folder = Self.sources.appending(path: "ControlServer/Page/Files")
        let keys = try Self.texts(in: folder, .script)
        let catalogue = try JSONDecoder().decode(
            [String: String].self, from: Data(contentsOf: folder.appending(path: "de.json")))
        Self.compare(keys, with: catalogue)
    }

    @Test func `every text of the presenters is in the German catalogue, and no other`() throws {
        let keys = try Self.texts(in: Self.sources.appending(path: "ControlSurface"), .swift)
        Self.compare(keys, with: try #require(Language.german.catalogue))
    }

    @Test(arguments: [
        ("de-DE,de;q=0.9,en;q=0.8", Language.german), ("en-GB,en;q=0.9,de;q=0.8", .english), ("fr,de;q=0.3", .german),
        ("de;q=0, en;q=0.1", .english), ("en;q=0.2, DE ; q=0.7", .german), ("*", .english), ("q=,;;,-", .english),
        ("de;q=x,en", .english), ("", .english),
    ])
    func `the language is the first that the reader prefers`(header: String?, language: Language) {
        #expect(Language(accepted: header) == language)
    }

    @Test func `values stand where the other language has them, and are not read again`() {
        #expect(Phrase("\("{2}") of \(3) on").template == "{1} of {2} on")
        #expect(Language.english("\("{2}") of \(3) on") == "{2} of 3 on")
        #expect(Language.english("Lost since {clock}: \("x")") == "Lost since {clock}: x")
    }

    private static func compare(_ keys: Set<String>, with catalogue: [String: String]) {
        #expect(!keys.isEmpty)
        let missing = keys.subtracting(catalogue.keys).sorted()
        let unused = Set(catalogue.keys).subtracting(keys).sorted()
        #expect(missing.isEmpty, "without German: \(missing)")
        #expect(unused.isEmpty, "of no text: \(unused)")
        for (key, text) in catalogue {
            let marks = { (text: String) in Set(text.matches(of: /\{\w+\}/).map { String($0.0) }) }
            #expect(marks(key) == marks(text), "\(key): \(text)")
        }
    }

    /// The keys of the texts that are written in a folder's files.
    private static func texts(in folder: URL, _ form: Form) throws -> Set<String> {
        var keys: Set<String> = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.path.hasSuffix(form.suffix) else { continue }
            let source = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .filter { line in !["//", "/*", "*"].contains { line.drop { $0 == " " }.hasPrefix($0) } }
                .joined(separator: "\n")
            var rest = source[...]
            while let start = rest.range(of: form.opening) {
                let isWord = rest[..<start.lowerBound].last.map { $0.isLetter || $0 == "_" || $0 == "." } ?? false
                rest = rest[start.upperBound...]
                guard !isWord else { continue }
                // What stands in a text may itself have texts: it is read again.
                var call = rest
                keys.formUnion(form.isCall ? arguments(of: &call, form) : [key(at: &call, form)])
            }
        }
        return keys
    }

    /// How a text is written in a language of programs.
    private struct Form {
        let suffix: String
        let opening: String
        let quote: Character
        let value: (open: String, close: Character)
        /// Whether texts are arguments, some of several.
        let isCall: Bool

        static let script = Self(suffix: ".js", opening: "text`", quote: "`", value: ("${", "}"), isCall: false)
        static let swift = Self(suffix: ".swift", opening: "words(", quote: "\"", value: ("\\(", ")"), isCall: true)
    }

    /// The texts among the arguments of a call; `rest` begins after its bracket.
    private static func arguments(of rest: inout Substring, _ form: Form) -> Set<String> {
        var (keys, depth): (Set<String>, Int) = ([], 0)
        while let next = rest.popFirst() {
            switch next {
            case form.quote:
                let key = key(at: &rest, form)
                rest.removeFirst()
                if depth == 0 { keys.insert(key) }
            case "(", "[", "{": depth += 1
            case ")" where depth == 0: return keys
            case ")", "]", "}": depth -= 1
            default: break
            }
        }
        return keys
    }

    /// A text with numbers in place of its values, in which there may be brackets and texts; `rest` begins after its
    /// quotation mark, and ends before the other.
    private static func key(at rest: inout Substring, _ form: Form) -> String {
        var (key, count) = ("", 0)
        while let next = rest.first, next != form.quote {
            if rest.hasPrefix(form.value.open) {
                count += 1
                key += "{\(count)}"
                rest.removeFirst(form.value.open.count)
                var depth = 1
                while depth > 0, let inner = rest.popFirst() {
                    if inner == form.value.open.last { depth += 1 }
                    if inner == form.value.close { depth -= 1 }
                }
            } else if next == "\\" {
                rest.removeFirst()
                if let escaped = rest.popFirst() { key.append(escaped == "n" ? "\n" : escaped) }
            } else {
                key.append(rest.removeFirst())
            }
        }
        return key
    }
}
