import Foundation
import TestSupport
import Testing

@testable import ControlProtocol

/// Names as bridges and people may give them, in a line of a terminal or of a log.
@Suite struct FuzzTests {
    @Test func `no text leaves anything in a line that is not seen, and JSON with it is the same data`() async throws {
        let samples = (HostileText.joining + HostileText.hidden + HostileText.honest).map { "a\($0)b\($0)" }
        try await Fuzzing("printable-text").texts(samples, batches: 3) { text in
            let line = PrintableText.line(text)
            guard PrintableText.isPrintable(line), PrintableText.line(line) == line else {
                throw TestError("leaves \(line.debugDescription)")
            }
            for scalar in line.unicodeScalars where !PrintableText.isPrintable("é\(scalar)é") {
                throw TestError("leaves \(scalar.escaped(asASCII: true))")
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
            let json = PrintableText.json(String(decoding: try encoder.encode([text, "x"]), as: UTF8.self))
            let seen = json.unicodeScalars.filter { $0 != "\n" }.map(String.init).joined()
            guard PrintableText.isPrintable(seen) else { throw TestError("leaves \(json.debugDescription)") }
            guard try JSONDecoder().decode([String].self, from: Data(json.utf8))[0].utf8.elementsEqual(text.utf8) else {
                throw TestError("is another text as \(json.debugDescription)")
            }
        }
    }
}
