import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import lightctl

/// The line that a completion leaves, judged by the shells themselves: whatever a thing of the home is called, lightctl
/// gets the name as its one argument, and nothing else is run.
@Suite struct ShellFuzzTests {
    /// Those of the names that a completion offers. Their number makes each another one.
    private static func names(_ seed: UInt64, _ count: Int) throws -> [String] {
        var random = SplitMix(seed: seed)
        let all = (0..<count).map { HostileText.name(using: &random) + "\($0)" }
        let completion = Completion(
            names: { NamesBody(lights: all, rooms: [], zones: [], scenes: [], bridges: []) })
        guard case let .candidates(offered) = try completion.answer(to: ["forget", "--", ""]), offered.isEmpty,
            case let .candidates(lights) = try completion.answer(to: ["on", ""])
        else { throw TestError("names are not completed") }
        let texts = lights.map(\.text).filter { $0 != "all" }
        for text in all where texts.contains(where: { Array($0.utf8) == Array(text.utf8) }) != isOffered(text) {
            throw TestError("offered or not: \(text.debugDescription)")
        }
        return texts
    }

    private static func isOffered(_ name: String) -> Bool {
        PrintableText.isPrintable(name) && name.utf8.first != UInt8(ascii: "-")
    }

    /// Runs a script in an empty directory, with no program in reach.
    ///
    /// - Parameter files: that the script reads, by the variable that holds the path.
    private static func run(_ shell: String, _ script: String, files: [String: String] = [:]) async throws -> String {
        try await withTemporaryDirectory { place in
            let directory = place.path + "/empty"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            var environment = ["PATH": "/nowhere", "HOME": directory, "LC_ALL": "C.UTF-8"]
            for (name, text) in files { environment[name] = try place.write(name, text) }
            let path = try place.write("script", script)
            let shell = ["/usr/bin/", "/bin/"].map { $0 + shell }.first { access($0, X_OK) == 0 } ?? shell
            // The shell reads the lines as those that a person types, so an interactive one's history is expanded, too.
            let end = try await Program.run(
                .at("/bin/sh"), ["-c", "cd \"$HOME\" && exec \"$0\" < \"$1\"", shell, path], environment: environment)
            guard end.status == 0, end.errors.isEmpty else { throw TestError("\(shell): \(end)") }
            let made = try FileManager.default.contentsOfDirectory(atPath: directory).filter { !$0.hasPrefix(".") }
            guard made.isEmpty else { throw TestError("\(shell) made \(made)") }
            return end.output
        }
    }

    private static func expect(_ output: String, isArguments names: [String]) throws {
        let said = output.utf8.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
        let expected = names.flatMap { [Array("2".utf8), Array("on".utf8), Array($0.utf8)] } + [[]]
        guard said != expected else { return }
        let place = zip(said, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? min(said.count, expected.count)
        throw TestError(
            "\(names[min(place / 3, names.count - 1)].debugDescription) becomes "
                + said[max(0, place - 2)..<min(said.count, place + 3)].map { String(decoding: $0, as: UTF8.self) }
                .debugDescription)
    }

    @Test func `whatever a name has, bash makes one argument of it, in quotes and without`() async throws {
        try await Fuzzing("bash-lines").batches(1) { seed in
            let names = try Self.names(seed, Fuzzing.batchSize)
            let lines = try names.flatMap { name in
                try ["", "'", "\""].map { mark in
                    let line = "lightctl on " + mark
                    let read = try #require(ShellLine([line, " \t\n\"'@><=;|&(:"]))
                    let typed = try #require(Completion.Answer.candidates([.init(text: name)]).lines(in: read).first)
                    // readline closes the quotes.
                    return line + typed + mark + "\n"
                } + [ShellQuote.line("lightctl on", operand: name) + "\n"]
            }
            let output = try await Self.run(
                "bash",
                "set -o history; set -o histexpand; lightctl() { printf '%s\\0' $# \"$@\"; }\n" + lines.joined())
            try Self.expect(output, isArguments: names.flatMap { [$0, $0, $0, $0] })
        }
    }

    private static func isInstalled(_ shell: String) -> Bool {
        ["/usr/bin", "/bin"].contains { access("\($0)/\(shell)", X_OK) == 0 }
    }

    /// What lightctl prints for zsh and fish.
    private static func lines(_ names: [String]) -> String {
        Completion.Answer.candidates(names.map { .init(text: $0, about: "light") }).lines(in: nil)
            .joined(separator: "\n") + "\n"
    }

    @Test(.enabled(if: isInstalled("zsh"), "needs zsh"))
    func `whatever a name has, zsh makes one argument of it`() async throws {
        try await Fuzzing("zsh-lines").batches(1) { seed in
            let names = try Self.names(seed, Fuzzing.batchSize)
            // compadd is what completion hands its candidates to; it quotes them as (q) does.
            let output = try await Self.run(
                "zsh",
                """
                compdef() {}
                compadd() { for one in "${values[@]}"; do eval "told on ${(q)one}"; done }
                told() { printf '%s\\0' $# "$@" }
                lightctl() { print -r -- "$(<$ANSWER)" }
                source $SCRIPT
                words=(lightctl on '') CURRENT=3 PREFIX=''
                _lightctl
                """, files: ["SCRIPT": CompletionScript.zsh.text, "ANSWER": Self.lines(names)])
            try Self.expect(output, isArguments: names)
            let typed = names.map { ShellQuote.line("told on", operand: $0) + "\n" }.joined()
            try Self.expect(
                try await Self.run("zsh", "told() { printf '%s\\0' $# \"$@\" }\n" + typed), isArguments: names)
        }
    }

    @Test(.enabled(if: isInstalled("fish"), "needs fish"))
    func `whatever a name has, fish makes one argument of it`() async throws {
        try await Fuzzing("fish-lines").batches(1) { seed in
            // fish offers a name that begins with a dot only to who has typed the dot.
            let names = try Self.names(seed, Fuzzing.batchSize).filter { $0.utf8.first != UInt8(ascii: ".") }
            let output = try await Self.run(
                "fish",
                """
                function told; printf '%s\\0' (count $argv) $argv; end
                function lightctl; while read -l line; printf '%s\\n' $line; end < $ANSWER; end
                source $SCRIPT
                for one in (complete --escape -C 'lightctl on ')
                    eval told on (string split -m 1 \\t -- $one)[1]
                end
                """, files: ["SCRIPT": CompletionScript.fish.text, "ANSWER": Self.lines(names)])
            // fish sorts them.
            let said = output.utf8.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            let order = stride(from: 2, to: said.count, by: 3).map { said[$0] }
            try Self.expect(output, isArguments: order)
            #expect(Set(order.map { Array($0.utf8) }) == Set(names.map { Array($0.utf8) }))
        }
    }
}
