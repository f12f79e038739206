import ArgumentParser
import ControlProtocol
import Testing

@testable import lightctl

@Suite struct UsageTests {
    static let wrong: [(String, String)] = [
        ("turn up desk", "'on', 'off' or 'toggle'"),
        ("turn on", "Missing expected argument"),
        ("list rooms kitchen", "'list rooms' lists all of them: leave out 'kitchen'"),
        ("list lights kitchen hall", "'hall' is too much"), ("list kitchen hall", "'hall' is too much"),
        ("list scenes --on", "--on is for lights and rooms, not for scenes"),
        ("list --battery-low lights", "--battery-low is for sensors, not for lights"),
        ("dim desk", "dim needs a target and a level"),
        ("dim desk 40% --perceptual", "--perceptual needs a step such as +10%: '40%' is a level"),
        ("increase hue desk --ratio", "--ratio is for the brightness, not for the hue"),
        ("decrease hue desk --perceptual", "--perceptual is for the brightness, not for the hue"),
        ("dim desk 140%", "'140%' is out of range: use 0% to 100%"),
        ("dim desk half", "a level such as 40%"),
        ("bind dial", "bind needs a switch and a target: lightctl bind"),
        ("bind --scenes relax", "--scenes needs a switch and a target to bind"),
        ("dim desk 40lm", "'40lm' is in lumens, which cannot be set: use percent"),
        ("dim desk -- 300K", "a white tone, not a percentage"),
        ("dim -- 10%", "dim needs a target and a level"),
        ("dim desk 0.4", "'0.4' is ambiguous: it could mean 40% or 0.4%; add the percent sign"),
        ("dim desk -10% --jsonn", "Unknown option '--jsonn'"),
        ("set desk", "nothing to set"),
        ("set desk --color oragne", "did you mean 'orange'?"),
        ("set desk --temperature 2700", "with the unit"),
        ("set desk --temperature 2700K --hue 3", "either a white tone or a colour"),
        ("set desk --color red --hue 3", "leave out --color"),
        ("set desk --hue 361", "use 0° to 360°"),
        ("set desk --brightness 12lx", "in lux, which cannot be set"),
        ("set desk --brightness +140%", "use more than 0 and at most 100"),
        ("set desk --brightness +10% --saturation -5%", "a step such as +10% is set alone"),
        ("set desk --brightness +10% --color red", "a step such as +10% is set alone"),
        ("set desk --temperature +200K", "a white tone is stepped in percent"),
        ("set desk --color rgb(300,0,0)", "rgb() takes three values"),
        ("set desk --brightness 0.4", "add the percent sign"),
        ("set desk --brightness 1% --over 2", "with a unit"),
        ("set desk --brightness 1% --over 101m", "use 0s to 100m"),
        ("increase brightness desk --by -10", "the command says whether up or down"),
        ("increase brightness desk --by 0", "use more than 0 and at most 100"),
        ("increase loudness desk", "'brightness', 'saturation', 'hue' or 'temperature'"),
        ("list --timeout 0", "use 0.1s to 1h"),
        ("pair --timeout 601", "at most 10 minutes"),
        ("log --limit 0", "use 1 to 10000"), ("log --follow --until 1h", "use one of the two"),
        ("log --cause magic", "wall"),
        ("log --access desk", "another log"), ("log --access --by anna", "--by does not filter"),
        ("log --access --cause wall", "use one of the two"), ("log --access --feature lighting", "use one of the two"),
        ("log --access --follow", "--follow what comes"),
        ("log --since tomorrow", "an age such as 1h"),
        ("log --since 2026-02-30", "an age such as 1h"),
        ("dashboard move desk 0", "counted from 1"),
        ("dashboard display desk knob", "'slider' and 'scrubbing'"),
        ("show", "Missing expected argument"),
        ("recall", "Missing expected argument"),
        ("forget", "Missing expected argument"),
        ("rename desk", "Missing expected argument"),
        ("watch now", "Unexpected argument"), ("mcp now", "Unexpected argument"),
        ("room create", "Missing expected argument"),
        ("room add office", "Missing expected argument"),
        ("zone delete", "Missing expected argument"),
        ("scene save", "Missing expected argument"),
        ("scene rename relax", "Missing expected argument"),
        ("recall relax --static --speed 60%", "--speed goes with --dynamic"),
        ("recall relax --dynamic --static", "--static"),
        ("scene edit relax --off", "Missing expected argument"),
        ("scene edit relax desk", "nothing to change"),
        ("scene edit relax desk --brightness 40% --off", "leave out the rest"),
        ("scene edit relax desk --on --remove", "leave out the rest"),
        ("scene edit relax desk --color red --temperature 2700K", "leave out all but one"),
        ("scene edit relax desk --color red --gradient red --gradient blue", "leave out all but one"),
        ("scene edit relax desk --gradient red", "two colours or more"),
        ("scene edit relax desk --speed 50%", "--speed goes with --effect"),
        ("scene edit relax desk --effect none --speed 50%", "--speed goes with --effect"),
        ("scene edit relax desk --brightness +10%", "out of range"),
        ("scene reorder", "Missing expected argument"),
        ("scene reorder living", "name the scenes that come first, or use --by-name"),
        ("scene reorder living relax --by-name", "leave out their names"),
        ("identify", "Missing expected argument"),
        ("signal desk --color red --color blue --color lime", "one colour, or two in turns"),
        ("signal desk --end --for 5s", "leave out --color and --for"),
        ("signal desk --for 2d", "--for is too long"),
        ("room delete office --wait", "Unknown option '--wait'"),
        ("undo 0", "must be at least 1, not 0"),
        ("undo all", "not a valid <count>"),
        ("powerup desk custom", "only in another app"),
        ("powerup desk bright", "'safety', 'powerfail', 'last_on_state'"),
        ("rename desk Table --wait", "Unknown option '--wait'"),
        ("why", "Missing expected argument"),
    ]

    @Test(arguments: wrong)
    func `wrong usage is refused with a helpful message, in two lines`(typed: String, help: String) throws {
        let arguments = typed.split(separator: " ").map(String.init)
        let error = try #require(#expect(throws: (any Error).self) { try LightCtl.parsed(arguments) })
        let reply = UsageError.reply(LightCtl.message(for: error), for: arguments)
        #expect(
            reply.error.code.exitCode == .usage && LightCtl.exitCode(for: error).rawValue == ExitStatus.usage.rawValue)
        let lines = reply.printed.split(separator: "\n")
        #expect(lines.count == 2 && lines[1].hasPrefix("hint: see 'lightctl help "), "\(lines)")
        #expect(lines.first?.lowercased().contains(help.lowercased()) == true, "\(lines)")
    }

    @Test(arguments: [
        (
            "set desk --brightness 40lm",
            "'40lm' for --brightness is in lumens, which cannot be set: use percent, such as 40%"
        ),
        (
            "increase loudness desk",
            "'loudness' is not a valid <value>: use one of 'brightness', 'saturation', 'hue' or 'temperature'"
        ),
        ("undo all", "'all' is not a valid <count>"),
        (
            "log --cause foo",
            "'foo' is not a valid --cause <cause>: use one of 'command', 'scene', 'wall', 'power', 'elsewhere' or 'unseen'"
        ),
        ("rename desk Table --frobnicate", "unknown option '--frobnicate'"),
        ("set desk --colour red", "unknown option '--colour'; did you mean '--color'?"),
        ("set desk --over 2s --brigthness=40%", "unknown option '--brigthness'; did you mean '--brightness'?"),
        ("identify all --wait", "unknown option '--wait'"),
        ("dashboard pin --jsom", "unknown option '--jsom'; did you mean '--json'?"),
        ("show", "missing expected argument '<target-or-sensor>'"),
        ("powerup desk bright", "'bright' is not a setting: use 'safety', 'powerfail', 'last_on_state'"),
        ("set desk --over", "missing value for '--over <time>'"),
        (
            "log --cause magic",
            "'magic' is not a valid --cause <cause>: "
                + "use one of 'command', 'scene', 'wall', 'power', 'elsewhere' or 'unseen'"
        ),
        ("turn sideways desk", "'sideways' is not a valid <action>: use one of 'on', 'off' or 'toggle'"),
        ("dashboard display desk knob", "'knob' is not a valid <way>: use one of 'slider' and 'scrubbing'"),
    ])
    func `wrong usage is one line of error and one of hint`(typed: String, line: String) throws {
        let arguments = typed.split(separator: " ").map(String.init)
        let error = #expect(throws: (any Error).self) { try LightCtl.parsed(arguments) }
        let reply = UsageError.reply(LightCtl.message(for: try #require(error)), for: arguments)
        let topic = typed.hasPrefix("dashboard") ? "dashboard \(arguments[1])" : arguments[0]
        #expect(reply.printed == "lightctl: \(line)\nhint: see 'lightctl help \(topic)'")
        #expect(reply.error.code.exitCode == .usage)
    }

    @Test(arguments: [
        "turn on desk", "off all --over 3s --json", "set desk --brightness 40% --color #ff8800 --wait", "dim desk -10%",
        "dim all -- -10%", "list lights --socket /tmp/s", "undo 3 -q", "show desk", "log --since 1h --limit 5",
        "recall relax --dry-run", "watch --lines --timeout 3", "room create Loft desk", "--json turn on desk", "status",
        "show help", "token create hall",
    ])
    func `a verb that is read alone means what it means to the whole`(typed: String) throws {
        let arguments = typed.split(separator: " ").map(String.init)
        let (alone, whole) = (try LightCtl.parsed(arguments), try LightCtl.parseAsRoot(arguments))
        #expect(parts(of: alone) == parts(of: whole))
    }

    /// What a command consists of. What is typed often is read without --for.
    private func parts(of command: any ParsableCommand) -> [String: String] {
        let parts = Mirror(reflecting: command).children.map { part in
            var text = ""
            dump(part.value, to: &text)
            return (part.label ?? "", text)
        }
        return Dictionary(uniqueKeysWithValues: parts).filter { $0.key != "_duration" }
    }

    @Test(arguments: [
        (["list", "--socket", ""], "--socket must not be empty"),
        (["--socket", "", "list"], "--socket must not be empty"),
        (["list", "--url", ""], "--url must not be empty"),
        (["--token-file", "", "list"], "--token-file must not be empty"),
        (["list", "--url", "http://a", "--socket", "/s"], "--socket, --url and --site exclude each other"),
        (["list", "--site", "a", "--socket", "/s"], "--socket, --url and --site exclude each other"),
        (["list", "--site", ""], "--site must not be empty"),
        (["sites", "--broker", ""], "--broker must not be empty"),
    ])
    func `lightd is named once, and not by nothing`(typed: [String], words: String) {
        let error = #expect(throws: (any Error).self) { try LightCtl.parsed(typed) }
        guard let error else { return }
        #expect(LightCtl.exitCode(for: error).rawValue == ExitStatus.usage.rawValue)
        #expect(LightCtl.fullMessage(for: error).contains(words))
    }

    @Test func `a word in the place of a command is found, wherever options stand`() {
        func unknown(_ typed: String) -> String? {
            UnknownCommand(in: typed.split(separator: " ").map(String.init))?.word
        }
        #expect(unknown("--json --socket x lst") == "lst" && unknown("--socket=x list rooom") == nil)
        #expect(unknown("--url x lst") == "lst" && unknown("--token-file x lst") == "lst")
        #expect(unknown("help") == nil && unknown("help list") == nil && unknown("help nope") == "nope")
        #expect(
            unknown("help scene lst") == "lst" && unknown("scene save list") == nil && unknown("scene --help") == nil)
        #expect(unknown("--generate-completion-script bash") == nil && unknown("--jsonn") == nil)
    }

    @Test(arguments: [
        ("--json --socket list set desk", ["set"], nil), ("dashboard pin desk", ["dashboard", "pin"], nil),
        ("- desk", ["send"], nil), ("help scene lst", ["scene"], "lst"), ("scene help", ["scene"], "help"),
        ("scene -", ["scene"], "-"), ("--jsonn", [], nil),
    ])
    func `the command that was typed ends at the first word that is not one`(
        typed: String, path: [String], unknown: String?
    ) {
        let command = TypedCommand(in: typed.split(separator: " ").map(String.init))
        #expect(command.path == path && command.unknown == unknown)
        #expect(command.type._commandName == path.last ?? "lightctl")
    }

    @Test func `a mistake in a call for help is not one of the command that help is wanted for`() {
        #expect(UsageError.reply("?", for: ["help", "list", "--x"]).error.hint == "see 'lightctl --help'")
        #expect(UsageError.reply("?", for: ["list", "help", "--x"]).error.hint == "see 'lightctl help list'")
    }

    @Test(arguments: [
        ("lst", "'lst'; did you mean 'list'?", "lightctl"), ("frobnicate", "'frobnicate'", "lightctl"),
        ("scene list", "'scene list'; did you mean 'lightctl list scenes'?", "lightctl scene"),
        ("zone list", "'zone list'; did you mean 'lightctl list rooms'?", "lightctl zone"),
        ("--json room list", "'room list'; did you mean 'lightctl list rooms'?", "lightctl room"),
        ("scene recall evening", "'scene recall'; did you mean 'lightctl recall'?", "lightctl scene"),
        ("dashboard pinn desk", "'dashboard pinn'; did you mean 'pin'?", "lightctl dashboard"),
        ("token delete x", "'token delete'", "lightctl token"),
    ])
    func `an unknown command is named, with the one that is meant and those that exist`(
        typed: String, words: String, parent: String
    ) throws {
        let unknown = try #require(UnknownCommand(in: typed.split(separator: " ").map(String.init)))
        #expect(
            unknown.reply.printed
                == "lightctl: unknown command \(words)\nhint: '\(parent) --help' lists all commands")
        #expect(unknown.reply.error.code.exitCode == .usage)
    }

    @Test func `the help lists every command, every exit code and the options`() {
        let help = LightCtl.helpMessage(columns: 300)
        for command in [
            "list", "show", "turn", "on", "off", "toggle", "set", "increase", "decrease", "dim", "rename", "recall",
            "discover", "undo", "redo", "powerup", "why",
            "identify", "signal", "room", "zone", "scene", "bind", "unbind", "pair", "forget", "dashboard", "away",
            "log",
            "watch", "status", "--socket",
            "--json", "--quiet", "--timeout",
            "--version",
        ] {
            #expect(help.contains("  \(command)") || help.contains(" \(command) "), "\(command)")
        }
        for code in ExitStatus.allCases { #expect(help.contains(" \(code.rawValue) "), "\(code)") }
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `shells can complete the commands`(shell: String) {
        let script = LightCtl.completionScript(for: CompletionShell(rawValue: shell)!)
        for command in ["list", "discover", "recall", "explain"] { #expect(script.contains(command)) }
    }
}
