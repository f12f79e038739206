import ArgumentParser
import CommandGrammar
import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import lightctl

@Suite struct CompletionTests {
    private static let trap = "/tmp/lightctl-completion-\(getpid())"
    private static let home = NamesBody(
        lights: [
            "Desk", "floor lamp", "Floor/It's \"new\"", "$(touch \(trap))", "Küchen Licht",
            "Trap'\u{301}; touch \(trap); '\u{301}",
        ], rooms: ["@Kitchen", "@Living room"],
        zones: ["@Downstairs"], scenes: ["Relax", "Kitchen/Bright"], bridges: ["Flat"],
        sensors: ["Dial Living"])

    private static let scenes = [
        ("Relax", "Living room"), ("Bright", "Kitchen"), ("Bright", "Hall"), ("Bright", "Hall"),
    ].map {
        SceneBody(id: $0, name: $0, room: $1, bridge: "b")
    }

    private func candidates(_ words: String...) throws -> [String] {
        guard
            case let .candidates(all) = try Completion(
                names: { Self.home }, scenes: { Self.scenes },
                tokens: { [TokenBody(name: "hall", access: .full, created: "")] },
                curves: {
                    ["daylight", "Reading"].map {
                        CurveBody(name: $0, points: [], isBuiltIn: false, isUserDefined: true)
                    }
                }
            ).answer(to: words)
        else {
            return ["files"]
        }
        return all.map(\.text)
    }

    @Test func `targets are lights, rooms, zones and all, in any case and wherever a verb takes them`() throws {
        #expect(try candidates("turn", "on", "fl") == ["floor lamp", "Floor/It's \"new\""])
        #expect(try candidates("on", "desk", "@") == ["@Kitchen", "@Living room", "@Downstairs"])
        #expect(try candidates("set", "--brightness", "40%", "de") == ["Desk"])
        #expect(try candidates("--json", "dim", "Desk", "al") == ["all"])
        #expect(try candidates("dashboard", "pin", "@l") == ["@Living room"])
        #expect(try candidates("show", "Desk", "") == [], "show takes one target")
        #expect(try candidates("show", "d") == ["Desk", "Dial Living"])
        #expect(try candidates("log", "di") == ["Dial Living"])
        #expect(try candidates("turn", "on", "di") == [])
        #expect(try candidates("room", "add", "") == ["@Kitchen", "@Living room"])
        for verb in ["add", "remove", "rename", "delete"] {
            #expect(try candidates("zone", verb, "") == ["@Downstairs"], "zone \(verb)")
        }
        #expect(try candidates("recall", "") == ["Relax", "Kitchen/Bright"])
        #expect(try candidates("forget", "f") == ["Flat"])
        #expect(try candidates("room", "rename", "@") == ["@Kitchen", "@Living room"])
        #expect(try candidates("zone", "delete", "") == ["@Downstairs"])
        #expect(try candidates("zone", "add", "@") == ["@Downstairs"])
        #expect(try candidates("token", "revoke", "") == ["hall"])
        #expect(try candidates("follow", "desk", "d") == ["daylight"])
        for verb in ["show", "set", "remove"] {
            #expect(try candidates("curve", verb, "r") == ["Reading"], "curve \(verb)")
        }
    }

    @Test func `a scene can be completed from its room, unless two are then called the same`() throws {
        #expect(try candidates("recall", "living room/") == ["Living room/Relax"])
        #expect(
            try candidates("recall", "k") == ["Kitchen/Bright"]
                && candidates("recall", "kitchen/") == ["Kitchen/Bright"])
        #expect(try candidates("recall", "hall/") == [])
    }

    @Test func `the scenes of a room are offered by their names alone, in their order, once the room is typed`() throws
    {
        let scenes = [("Night", "Kitchen"), ("Bright", "Kitchen"), ("Relax", "Kitchen"), ("Calm", "Downstairs")].map {
            SceneBody(id: $0, name: $0, room: $1, bridge: "b")
        }
        let completion = Completion(names: { Self.home }, scenes: { scenes })
        for (words, expected) in [
            (["@"], ["@Kitchen", "@Living room", "@Downstairs"]),
            (["kitchen", ""], ["Night", "Bright", "Relax"]), (["@Kitchen", "r"], ["Relax"]),
            (["kitchen", "bright", ""], ["Night", "Relax"]), (["@Flat/Downstairs", ""], ["Calm"]),
            (["--dry-run", "kitchen", "n"], ["Night"]), (["kitchen", "--by"], ["--by-name"]),
            // A room that is not known by this text: as elsewhere.
            (["b/k", ""], ["Relax", "Kitchen/Bright"]),
        ] {
            let answer = try completion.answer(to: ["scene", "reorder"] + words)
            guard case let .candidates(all) = answer else {
                Issue.record("\(words): \(answer)")
                continue
            }
            #expect(all.map(\.text) == expected, "\(words)")
        }
        // With its room before it, a scene stands in the same order.
        #expect(
            try completion.answer(to: ["recall", "kitchen/"])
                == .candidates(
                    ["Kitchen/Night", "Kitchen/Bright", "Kitchen/Relax"].map { .init(text: $0, about: "scene") }))
    }

    @Test func `commands, options and values come from the descriptions`() throws {
        #expect(try candidates("tu") == ["turn"] && candidates("help", "tu") == ["turn"])
        #expect(try candidates("dashboard", "p") == ["pin"] && candidates("help", "dashboard", "unp") == ["unpin"])
        #expect(try candidates("turn", "") == ["on", "off", "toggle"])
        #expect(try candidates("turn", "on", "desk", "--ov") == ["--over"])
        #expect(try candidates("log", "--feature", "b") == ["bridges"])
        #expect(try candidates("turn", "on", "--over", "") == [], "a duration")
        #expect(try candidates("powerup", "desk", "") == ["safety", "powerfail", "last_on_state"])
        #expect(try candidates("set", "desk", "--color", "sky") == ["skyblue"])
        #expect(try candidates("doctor", "--bundle", "") == ["files"] && candidates("restore", "") == ["files"])
        #expect(try candidates("on", "--", "--w") == [], "after '--' there are no options")
        #expect(try candidates("nonsense", "") == [] && candidates("rename", "desk", "") == [])
    }

    @Test func `lightd is asked only for names`() throws {
        let silent = Completion {
            Issue.record("lightd was asked")
            return nil
        }
        for words in [["tu"], ["turn", ""], ["turn", "on", "--w"], ["rename", "desk", "x"]] {
            _ = try silent.answer(to: words)
        }
    }

    @Test func `without lightd there are no names, and no error`() throws {
        #expect(try Completion(names: { nil }).answer(to: ["on", ""]) == .candidates([]))
        // What can be listed is known all the same.
        #expect(
            try Completion(names: { nil }).answer(to: ["list", "bri"]) == .candidates([.init(text: "bridges")]))
    }

    @Test func `every command and every argument has a description, and every positional is a name or known not to be`()
        throws
    {
        // What cannot be completed from the home.
        let free: Set = [
            "name", "count", "place", "points", "value", "action", "kind", "preset", "way", "level", "colour", "words",
            "at",
            "duration", "time> <command> ...", "command> ...",
            "file",
        ]
        func check(_ command: any ParsableCommand.Type) throws {
            let name = command._commandName
            #expect(!command.configuration.abstract.isEmpty, "\(name)")
            for argument in try CommandDescription.of(command: command).arguments ?? [] where argument.shouldDisplay {
                #expect(argument.abstract?.isEmpty == false, "\(name): \(argument.valueName ?? "")")
                guard argument.kind == .positional, argument.allValues == nil else { continue }
                let value = argument.valueName ?? ""
                #expect(NameKind(valueName: value) != nil || free.contains(value), "\(name): \(value)")
            }
            for subcommand in command.shownSubcommands { try check(subcommand) }
        }
        try check(LightCtl.self)
    }

    // MARK: bash's line

    static let lines: [(String, [String], String, String)] = [
        (#"lightctl turn on fl"#, ["turn", "on", "fl"], "floor lamp", #"floor\ lamp"#),
        (#"lightctl on "floor l"#, ["on", "floor l"], "floor lamp", "floor lamp"),
        (#"lightctl on 'floor l"#, ["on", "floor l"], "it's", #"it'\''s"#),
        (#"lightctl on floor\ l"#, ["on", "floor l"], "floor lamp", #"floor\ lamp"#),
        (#"lightctl on @li"#, ["on", "@li"], "@Living room", #"@Living\ room"#),
        (#"lightctl on desk "#, ["on", "desk", ""], "$(x)", #"\$\(x\)"#),
        (#"lightctl on "$"#, ["on", "$"], "$(x)", #"\$(x)"#),
        (#"lightctl --socket=/tmp/s on "a b" c"#, ["--socket=/tmp/s", "on", "a b", "c"], "c", "c"),
        (#"x | lightctl off de"#, ["off", "de"], "Desk", "Desk"),
        (#"lightctl "#, [""], "on", "on"),
    ]

    @Test(arguments: lines)
    func `a line of bash is read as bash reads it, and candidates are quoted as they must be typed`(
        line: String, words: [String], candidate: String, typed: String
    ) throws {
        let breaks = " \t\n\"'@><=;|&(:"
        let read = try #require(ShellLine([line, breaks]))
        #expect(read.words == words && read.typed(candidate) == typed)
    }

    @Test(
        arguments: [
            // readline keeps what stands before the last of its word breaks, and takes closed quotes as part of the word.
            (#"lightctl on bl"#, "blue: left", #"blue:\ left"#), (#"lightctl on Blue:"#, "blue: left", #"\ left"#),
            (#"lightctl on blue:"#, "green: left", nil), (#"lightctl on a"b c"d"#, "ab cde", #"ab\ cde"#),
            // For a Character, each of these signs would be part of a letter.
            ("lightctl on '", "'\u{301}; id; '", #"'\''"# + "\u{301}; id; " + #"'\''"#),
            ("lightctl on \"", "`\u{301}id`", "\\`\u{301}id\\`"), ("lightctl on ", "\u{D4E};id", "\u{D4E}\\;id"),
            ("lightctl on '\u{301}' ", "a b", #"a\ b"#), ("lightctl on \"", "a!b", #"a"'!'"b"#),
        ] as [(String, String, String?)])
    func `a candidate is quoted by scalars, as bash reads it`(line: String, candidate: String, typed: String?) throws {
        let read = try #require(ShellLine([line, " \t\n\"'@><=;|&(:"]))
        #expect(read.typed(candidate).map { Array($0.utf8) } == typed.map { Array($0.utf8) })
    }

    @Test func `a name that is not seen as it is, or that would be read as an option, is not offered`() throws {
        let lights = ["desk\u{1B}[2J", "desk\nid", "desk\u{202E}", "desk\u{200B}", "-desk", "--wait", "desk 💡"]
        let completion = Completion(
            names: { NamesBody(lights: lights, rooms: [], zones: [], scenes: [], bridges: []) })
        #expect(try completion.answer(to: ["on", "d"]) == .candidates([.init(text: "desk 💡", about: "light")]))
        #expect(
            try completion.answer(to: ["on", "--", "-"])
                == .candidates(["-desk", "--wait"].map { .init(text: $0, about: "light") }))
    }

    // MARK: The shells themselves

    private static let program = Program.path(of: .lightctl)

    private func server() throws -> UnixServer {
        let names = String(decoding: try JSONEncoder().encode(Self.home), as: UTF8.self)
        return try UnixServer(answers: ["GET /v1/names": names])
    }

    /// Runs a shell with the completions loaded as `make install` would have them, and lightctl in its PATH.
    private func run(_ shell: CompletionScript, _ text: String, socket: String) async throws -> Program.End {
        try await withTemporaryDirectory { place in
            let script = try place.write("completion", shell.text)
            let path = URL(filePath: Self.program).deletingLastPathComponent().path
            return try await Program.run(
                .at("/usr/bin/env"), [shell.rawValue, "-c", text, script],
                environment: [
                    "PATH": "\(path):/usr/bin:/bin", "HOME": place.path, "LIGHTCTL_SOCKET": socket, "LC_ALL": "C.UTF-8",
                    "SCRIPT": script,
                ])
        }
    }

    /// Lets a shell complete until it prints this: names that a busy machine does not have within 200 ms are left out.
    private func expect(_ output: String, from complete: () async throws -> Program.End) async throws {
        var end = try await complete()
        for _ in 1...20 where end.output != output { end = try await complete() }
        #expect(end == Program.End(status: 0, output: output, errors: ""))
    }

    private func bash(_ line: String, socket: String) async throws -> Program.End {
        let quoted = line.replacing("'", with: #"'\''"#)
        return try await run(
            .bash,
            "source \"$SCRIPT\"; COMP_LINE='\(quoted) more'; COMP_POINT=$((${#COMP_LINE}-5)); _lightctl lightctl; "
                + "for one in \"${COMPREPLY[@]}\"; do echo \"$one\"; done", socket: socket)
    }

    @Test func `bash offers names with spaces and quotes, and runs none of them`() async throws {
        let server = try server()
        defer { server.stop() }
        for (line, output) in [
            ("lightctl turn on fl", "floor\\ lamp\nFloor/It\\'s\\ \\\"new\\\"\n"),
            ("lightctl on \"floor l", "floor lamp\n"), ("lightctl on 'küchen l", "Küchen Licht\n"),
            ("lightctl on 'tr", "Trap'\\''\u{301}; touch \(Self.trap); '\\''\u{301}\n"),
            ("lightctl on $", "\\$\\(touch\\ \(Self.trap)\\)\n"),
        ] {
            try await expect(output) { try await bash(line, socket: server.path) }
        }
        #expect(!FileManager.default.fileExists(atPath: Self.trap))
    }

    private static func isInstalled(_ shell: String) -> Bool {
        ["/usr/bin", "/bin"].contains { access("\($0)/\(shell)", X_OK) == 0 }
    }

    @Test(.enabled(if: isInstalled("fish"), "needs fish")) func `fish offers names with spaces and quotes`()
        async throws
    {
        let server = try server()
        defer { server.stop() }
        try await expect("floor lamp\tlight\nFloor/It's \"new\"\tlight\nfloor lamp\tlight\n") {
            try await run(
                .fish, "source $SCRIPT; complete -C 'lightctl turn on fl'; complete -C 'lightctl on \"floor l'",
                socket: server.path)
        }
    }

    @Test(.enabled(if: isInstalled("zsh"), "needs zsh")) func `zsh offers names with spaces and quotes`() async throws {
        let server = try server()
        defer { server.stop() }
        // compadd is what completion hands its candidates to; here it prints them.
        try await expect("floor lamp\nFloor/It's \"new\"\n") {
            try await run(
                .zsh,
                "compdef() {}; compadd() { print -rl -- $values }; source $SCRIPT; "
                    + "words=(lightctl turn on fl) CURRENT=4 PREFIX=fl; _lightctl", socket: server.path)
        }
    }

    @Test(arguments: CompletionScript.allCases)
    func `every script is printed for its shell, and without lightd it completes commands and stays silent`(
        shell: CompletionScript
    ) async throws {
        let printed = try await Program.run(.lightctl, ["--generate-completion-script", shell.rawValue])
        #expect(printed == Program.End(status: 0, output: shell.text, errors: ""))
        let words = ["complete", "words", "--socket", "/nowhere/s"]
        #expect(try await Program.run(.lightctl, words + ["on", ""]) == Program.End(status: 0, output: "", errors: ""))
        #expect(try await Program.run(.lightctl, words + ["tu"]).output.hasPrefix("turn\t"))
    }
}
