import Foundation
import TestSupport

/// The commands that a Markdown document shows, and what they print.
///
/// In a block that begins with "```console", a line that begins with "$ " is a command, and what follows it is what a
/// terminal then shows. A comment before a block, "<!-- run: lightctl off all --wait -->", is a command that readers need
/// not see; "<!-- not run: why -->" leaves out the block that follows.
struct Transcript {
    struct Step {
        var command: String
        /// The lines of the document that show what it prints; `nil` if it is not shown.
        var output: Range<Int>?
    }

    var lines: [String]
    private(set) var steps: [Step] = []

    init(_ document: String) throws {
        lines = document.components(separatedBy: "\n")
        var (isInside, isLeftOut) = (false, false)
        for (number, line) in lines.enumerated() {
            if let hidden = line.wholeMatch(of: /<!-- run: (.*) -->/) {
                steps.append(Step(command: String(hidden.output.1), output: nil))
            } else if line.wholeMatch(of: /<!-- not run: .+ -->/) != nil {
                isLeftOut = true
            } else if line == "```console" {
                isInside = true
            } else if line == "```", isInside {
                (isInside, isLeftOut) = (false, false)
            } else if isInside, !isLeftOut {
                if line.hasPrefix("$ ") {
                    steps.append(Step(command: String(line.dropFirst(2)), output: number + 1..<number + 1))
                } else if let output = steps.last?.output {
                    steps[steps.count - 1].output = output.lowerBound..<number + 1
                } else {
                    throw TestError("line \(number + 1) is what no command printed: \(line)")
                }
            }
        }
    }

    /// What a step prints, as the document shows it.
    func shown(_ step: Step) -> [String] { step.output.map { Array(lines[$0]) } ?? [] }

    /// The document with what was really printed. What differs only in times, ports and the like stays as it is.
    mutating func record(_ printed: [[String]]) {
        for (step, output) in zip(steps, printed).reversed() {
            guard let range = step.output, Self.normal(output, of: step) != normal(step) else { continue }
            lines.replaceSubrange(range, with: output)
        }
    }

    /// What a step prints as the document shows it, as ``normal(_:of:)``.
    func normal(_ step: Step) -> [String] { Self.normal(shown(step), of: step) }

    /// Without what differs from run to run: times, users, ports, tickets, and, unless the command waits for it, whether
    /// the bridge has confirmed already.
    static func normal(_ lines: [String], of step: Step) -> [String] {
        let waits = step.command.contains("--wait")
        return lines.map { line in
            (waits ? line : line.replacing(" (expected, not yet confirmed)", with: ""))
                .replacing(/\d{4}-\d\d-\d\d/, with: "DATE").replacing(/\d\d:\d\d(:\d\d(\.\d+)?)?/, with: "TIME")
                .replacing(/[\w-]+ \(uid \d+\)/, with: "USER").replacing(/127\.0\.0\.1:\d+/, with: "127.0.0.1:PORT")
                .replacing(/"ticket": ?\d+|\(ticket \d+\)/, with: "TICKET").replacing(/up \d+ (s|min)/, with: "up TIME")
                .replacing(/\ +$/, with: "")
        }
    }

    /// A script for bash that runs the commands and prints each one's number before its output.
    var script: String {
        let commands = steps.enumerated().map { number, step in
            // $? stays that of the command before, as in the document. What readers need not see is said once more if it
            // fails: where the machine stood still, a lamp may be confirmed too late.
            let command = step.output == nil ? "{ \(step.command); } || { \(step.command); }" : step.command
            return "status=$?; printf '\\n@@%d@@\\n' \(number); (exit $status)\n\(command)"
        }
        return (["stty cols 100 rows 40"] + commands).joined(separator: "\n") + "\nprintf '\\n@@end@@\\n'\n"
    }

    /// The lines that each step printed.
    func split(_ output: String) -> [[String]] {
        let parts = output.replacing(/\x1B\[[0-9;?]*[A-Za-z]/, with: "").replacing("\r\n", with: "\n")
            .split(separator: /\n@@(?:\d+|end)@@\n/, omittingEmptySubsequences: false).dropFirst().dropLast()
        return parts.map { part in
            part.split(separator: "\n", omittingEmptySubsequences: false)
                // A line that was rewritten shows what was written last.
                .map { String($0.split(separator: "\r", omittingEmptySubsequences: false).last ?? "") }
                .reversed().drop(while: \.isEmpty).reversed()
        }
    }
}
