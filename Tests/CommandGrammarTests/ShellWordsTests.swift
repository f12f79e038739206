import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import CommandGrammar

@Suite struct ShellWordsTests {
    private static func random<Generator: RandomNumberGenerator>(
        _ alphabet: String, upTo length: Int, using generator: inout Generator
    ) -> String {
        let scalars = Array(alphabet.unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...length, using: &generator) {
            text.append(scalars.randomElement(using: &generator) ?? " ")
        }
        return String(text)
    }

    @Test func `words written as a line are the same words again`() throws {
        var generator = SplitMix(seed: 1)
        for _ in 0..<5000 {
            let words = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                Self.random("ab Ü'\"\\$`;&|<>@#%\t°🙂", upTo: 8, using: &generator)
            }
            #expect(try ShellWords.split(ShellQuote.line(words)).map(\.text) == words)
            let names = (0..<3).map { _ in HostileText.name(using: &generator) }
            let split = try ShellWords.split(ShellQuote.line(names)).map { Array($0.text.utf8) }
            #expect(split == names.map { Array($0.utf8) })
        }
    }

    @Test func `a line is split as the shell splits it`() async throws {
        var generator = SplitMix(seed: 2)
        var lines: [(line: String, words: [String])] = []
        while lines.count < 3000 {
            let line = Self.random("abc  @+-.%'\"\\\u{301}\u{D4E}", upTo: 14, using: &generator)
            // What is not closed is refused by both.
            if let words = try? ShellWords.split(line) { lines.append((line, words.map(\.text))) }
        }
        let script =
            #"p() { for w; do printf '[%s]' "$w"; done; printf '\n'; }"# + "\n"
            + lines.map { "p \($0.line)\n" }.joined()
        let shell = Process()
        (shell.executableURL, shell.arguments) = (URL(filePath: "/bin/sh"), ["-s"])
        let (input, output) = (Pipe(), Pipe())
        (shell.standardInput, shell.standardOutput) = (input, output)
        try shell.run()
        let writing = Task.detached {
            try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
            try input.fileHandleForWriting.close()
        }
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        try await writing.value
        shell.waitUntilExit()
        let split = said.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        #expect(split.count == lines.count)
        for (said, expected) in zip(split, lines) {
            #expect(said.elementsEqual(expected.words.map { "[\($0)]" }.joined().utf8), "\(expected.line)")
        }
    }

    @Test func `each word knows where it stands`() throws {
        let line = #"dim "floor lamp" d\ e  40%"#
        #expect(
            try ShellWords.split(line) == [
                .init(text: "dim", offset: 0), .init(text: "floor lamp", offset: 4), .init(text: "d e", offset: 17),
                .init(text: "40%", offset: 23),
            ])
    }

    @Test(arguments: [
        ("turn on a; turn off b", 9, "';' means something to a shell only"), ("turn on $HALL", 8, "'$' means"),
        ("dim 'desk 40%", 4, "the quotation mark ' is not closed"), ("on a\\", 4, "nothing follows the backslash"),
        ("on a\noff b", 4, "the line ends here"),
    ])
    func `what a shell would do more is refused at its place`(line: String, offset: Int, words: String) {
        do throws(TextError) {
            _ = try ShellWords.split(line)
            Issue.record("it was read")
        } catch {
            #expect(error.offset == offset && error.message.hasPrefix(words), "\(error)")
        }
    }
}
