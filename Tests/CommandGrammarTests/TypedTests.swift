import ArgumentParser
import ControlProtocol
import Testing

@testable import CommandGrammar

@Suite struct TypedTests {
    @Test func `one line means a command for each target`() throws {
        #expect(
            try Typed.commands(from: #"dim kitchen "floor lamp" Kitchen 40% --over 10m"#) == [
                .set(.init(brightness: 40), target: "kitchen", over: 600_000),
                .set(.init(brightness: 40), target: "floor lamp", over: 600_000),
            ])
        #expect(try Typed.commands(from: "off help") == [.turn(to: .off, target: "help")])
        #expect(try Typed.commands(from: "dim all -- -10%") == [.decrease(.brightness, by: 10, target: "all")])
        #expect(try Typed.commands(from: "set desk --color #FF8800") == [.set(.init(color: "#ff8800"), target: "desk")])
    }

    @Test(arguments: [
        ("", 0, "a command is missing, such as 'turn on hall'"),
        ("lightctl turn on hall", 0, "leave out 'lightctl': a command begins with its verb"),
        ("tun on hall", 0, "unknown command 'tun'; did you mean 'turn'?"),
        ("  list", 2, "unknown command 'list'; use one of turn, on, off,"),
        ("room", 4, "'room' needs one of create, add, remove, rename, delete"),
        ("scene sav Late", 6, "unknown command 'scene sav'; did you mean 'save'?"),
        ("turn sideways desk", 5, "'sideways' is not a valid <action>: use one of 'on', 'off' or 'toggle'"),
        ("turn on", 7, "missing expected argument '<targets> ...'"),
        ("dim desk bright", 9, "'bright' is not a level: use a level such as 40%"),
        ("dim desk 140%", 9, "'140%' is out of range: use 0% to 100%"),
        ("set desk --brigthness 4", 9, "unknown option '--brigthness'; did you mean '--brightness'?"),
        ("set desk --brightness=40lm", 9, "'40lm' for --brightness is in lumens"),
        ("set desk", 0, "nothing to set: use --brightness"),
        ("on desk --over 2s --json", 18, "unknown option '--json'"),
        ("on desk --over", 14, "missing value for '--over <time>'"),
        ("off all --wait", 8, "'--wait' is for a command that is typed: leave it out"),
        ("off all --dry-run", 8, "'--dry-run' is for a command that is typed: leave it out"),
        ("off --help", 4, "'--help' is for a command that is typed: leave it out"),
        ("powerup desk", 0, "powerup needs a setting"),
    ])
    func `a wrong line says what is wrong, and where`(line: String, offset: Int, words: String) {
        do throws(TextError) {
            _ = try Typed.commands(from: line)
            Issue.record("it was read")
        } catch {
            #expect(error.offset == offset && error.message.hasPrefix(words), "\(error)")
        }
    }

    @Test func `every verb has a name and words for help`() {
        for verb in Typed.verbs {
            #expect(!verb.name.isEmpty && !verb.type.configuration.abstract.isEmpty)
        }
        #expect(Set(Typed.verbs.map { [$0.group ?? "", $0.name] }).count == Typed.verbs.count)
    }
}
