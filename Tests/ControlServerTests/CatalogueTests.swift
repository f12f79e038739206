import Foundation
import Languages
import Testing

/// Every text of the page has its German, and no German is left of a text that is gone.
@Suite struct CatalogueTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")

    @Test func `every text of the page's files is in the German catalogue, and no other`() throws {
        let folder = Self.sources.appending(path: "ControlServer/Page/Files")
        let keys = try Self.texts(in: folder, suffix: ".js", opening: ["text`"], closing: "`", value: ("${", "}"))
        let catalogue = try JSONDecoder().decode(
            [String: String].self, from: Data(contentsOf: folder.appending(path: "de.json")))
        Self.compare(keys, with: catalogue)
    }

    @Test func `every text of the presenters is in the German catalogue, and no other`() throws {
        let keys = try Self.texts(
            in: Self.sources.appending(path: "ControlSurface"), suffix: ".swift", opening: ["words(\""], closing: "\"",
            value: ("\\(", ")"))
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

    /// The keys of the texts that are written in a folder's files: what stands between `opening` and `closing`, with
    /// numbers in place of values. A value may have brackets and texts in it.
    private static func texts(
        in folder: URL, suffix: String, opening: [String], closing: Character, value: (open: String, close: Character)
    ) throws -> Set<String> {
        var keys: Set<String> = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.path.hasSuffix(suffix) else { continue }
            let source = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .filter { line in !["//", "/*", "*"].contains { line.drop { $0 == " " }.hasPrefix($0) } }
                .joined(separator: "\n")
            for opening in opening {
                var rest = source[...]
                while let start = rest.range(of: opening) {
                    let isWord = rest[..<start.lowerBound].last.map { $0.isLetter || $0 == "_" || $0 == "." } ?? false
                    rest = rest[start.upperBound...]
                    guard !isWord else { continue }
                    keys.insert(key(at: &rest, closing: closing, value: value))
                }
            }
        }
        return keys
    }

    private static func key(
        at rest: inout Substring, closing: Character, value: (open: String, close: Character)
    ) -> String {
        var (key, count) = ("", 0)
        while let next = rest.first, next != closing {
            if rest.hasPrefix(value.open) {
                count += 1
                key += "{\(count)}"
                rest.removeFirst(value.open.count)
                var depth = 1
                while depth > 0, let inner = rest.popFirst() {
                    if inner == value.open.last { depth += 1 }
                    if inner == value.close { depth -= 1 }
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
