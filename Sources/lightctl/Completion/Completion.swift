import ArgumentParser
import CommandGrammar
import ControlProtocol
import FoundationEssentials
import Glibc

/// What may follow on the command line, for the scripts of ``CompletionScript``. Commands, options and values come from
/// the commands' own descriptions, names from lightd.
struct Completion {
    struct Candidate: Equatable {
        let text: String
        var about = ""
    }

    enum Answer: Equatable {
        case candidates([Candidate])
        /// The shell completes the names of files.
        case files

        /// What the scripts read, a line for each candidate: for bash as it must be typed, for the others as it is, and what
        /// it is after a tab. No candidate contains a tab or a line end.
        ///
        /// - Parameter line: bash's; `nil` for the others, which quote by themselves.
        func lines(in line: ShellLine?) -> [String] {
            switch self {
            case .files: ["\tfiles"]
            case let .candidates(all):
                if let line {
                    all.compactMap { line.typed($0.text) }
                } else {
                    all.map { $0.about.isEmpty ? $0.text : "\($0.text)\t\($0.about)" }
                }
            }
        }
    }

    /// Asks lightd for the names; `nil` if it does not answer.
    let names: () -> NamesBody?
    /// As ``names``, for "ROOM/SCENE" where the scene's name alone would do.
    var scenes: () -> [SceneBody] = { [] }
    var tokens: () -> [TokenBody] = { [] }
    var automations: () -> [AutomationBody] = { [] }
    var timers: () -> [AutomationBody] = { [] }
    var curves: () -> [CurveBody] = { [] }

    /// - Parameter words: those after "lightctl"; the last is the one to complete, and may be empty.
    func answer(to words: [String]) throws -> Answer {
        var words = words[...]
        let current = words.popLast() ?? ""
        var command: any ParsableCommand.Type = LightCtl.self
        // "help dim" completes the names of commands only.
        var onlyCommands = false
        var arguments = try CommandDescription.of(command: command).arguments ?? []
        var typed: [String] = []
        var isTerminated = false
        while let word = words.popFirst() {
            if word == "--", !isTerminated {
                isTerminated = true
            } else if word.hasPrefix("-"), word.count > 1, !isTerminated {
                guard let option = arguments.option(word), option.kind == .option, !word.contains("=") else { continue }
                guard words.popFirst() == nil else { continue }
                return values(of: option, beginning: current, mayBeginWithDash: false)
            } else if typed.isEmpty, let next = command.shownSubcommands.first(where: { $0._commandName == word }) {
                command = next
                arguments = try CommandDescription.of(command: command).arguments ?? []
            } else if typed.isEmpty, word == "help" {
                onlyCommands = true
            } else {
                typed.append(word)
            }
        }
        if current.hasPrefix("-"), !isTerminated { return .candidates(options(arguments, beginning: current)) }
        if typed.isEmpty, !command.shownSubcommands.isEmpty {
            let all = command.shownSubcommands.map {
                Candidate(text: $0._commandName, about: $0.configuration.abstract)
            }
            return .candidates(all.beginning(with: current))
        }
        let places = arguments.filter { $0.kind == .positional && $0.shouldDisplay }
        guard !onlyCommands, let place = places.dropFirst(typed.count).first ?? places.last(where: \.isRepeating) else {
            return .candidates([])
        }
        if let room = places.firstIndex(where: { $0.valueName == NameKind.roomOrZone.rawValue }), room < typed.count,
            place.valueName.flatMap(NameKind.init(valueName:)) == .scene
        {
            let own = scenes(of: typed[room], except: typed[(room + 1)...])
            if !own.isEmpty { return .candidates(typable(own, isTerminated).beginning(with: current)) }
        }
        return values(of: place, beginning: current, mayBeginWithDash: isTerminated)
    }

    private func options(_ arguments: [CommandDescription.Argument], beginning: String) -> [Candidate] {
        arguments.filter { $0.kind != .positional && $0.shouldDisplay }.flatMap { argument in
            (argument.names ?? []).filter { $0.kind == "long" }.map {
                Candidate(text: $0.typed, about: argument.abstract ?? "")
            }
        }.beginning(with: beginning)
    }

    /// - Parameter mayBeginWithDash: whether a name that begins with "-" is read as a name.
    private func values(
        of argument: CommandDescription.Argument, beginning: String, mayBeginWithDash: Bool
    ) -> Answer {
        if let values = argument.allValues ?? argument.completionKind?.list?.values, !values.isEmpty {
            return .candidates(values.map { Candidate(text: $0) }.beginning(with: beginning))
        }
        if argument.completionKind?.file != nil || argument.valueName == "file" { return .files }
        guard let kind = argument.valueName.flatMap(NameKind.init(valueName:)) else { return .candidates([]) }
        return .candidates(typable(candidates(kind, beginning), mayBeginWithDash).beginning(with: beginning))
    }

    private func typable(_ names: [Candidate], _ mayBeginWithDash: Bool) -> [Candidate] {
        names.filter { candidate in
            // What is not seen must not get into a line that a person runs, and a line end would begin another line.
            PrintableText.isPrintable(candidate.text)
                && (mayBeginWithDash || candidate.text.utf8.first != UInt8(ascii: "-"))
        }
    }

    /// By their names alone, in their order; none if no room or zone is known by what was typed.
    private func scenes(of room: String, except typed: ArraySlice<String>) -> [Candidate] {
        let room = (room.hasPrefix("@") ? String(room.dropFirst()) : room).lowercased()
        let known = Set(typed.map { $0.lowercased() })
        return scenes().filter { scene in
            // "@BRIDGE/ROOM", or the room alone.
            guard let own = scene.room?.lowercased() else { return false }
            return (room == own || room.hasSuffix("/" + own)) && !known.contains(scene.name.lowercased())
        }
        .map { Candidate(text: $0.name, about: "scene") }
    }

    private func candidates(_ kind: NameKind, _ beginning: String) -> [Candidate] {
        switch kind {
        case .token: return tokens().map { Candidate(text: $0.name, about: "token") }
        case .automation: return automations().map { Candidate(text: $0.name, about: "automation") }
        case .curve: return curves().map { Candidate(text: $0.name, about: "curve") }
        case .timer:
            return timers().map { timer in
                let number = timer.name.split(separator: " ").last.map(String.init)
                return Candidate(
                    text: number ?? timer.name, about: printable(timer.steps.joined(separator: ", ")))
            }
        case .kindOrTarget:
            return ListCommand.Kind.allCases.map { Candidate(text: $0.rawValue) }
                + (names().map { NameKind.target.names($0) } ?? [])
        case .targetOrEffect:
            return (names().map { NameKind.target.names($0) } ?? [])
                + EffectVerb.known.map { Candidate(text: $0, about: "effect") }
        default: break
        }
        guard let names = names() else { return [] }
        let candidates = kind.names(names)
        guard kind == .scene, beginning.contains("/") else { return candidates }
        let inRooms = scenes().compactMap { scene in scene.room.map { "\($0)/\(scene.name)" } }
        let counts = Dictionary(inRooms.map { ($0.lowercased(), 1) }, uniquingKeysWith: +)
        func isUnique(_ text: String) -> Bool { counts[text.lowercased()] == 1 }
        // Only what names one scene is offered.
        return candidates.filter { !isUnique($0.text) }
            + inRooms.filter(isUnique).map { Candidate(text: $0, about: "scene") }
    }
}

/// What an argument names, by the name that its description gives it.
enum NameKind: String, CaseIterable {
    /// Lights, rooms, zones and "all".
    case target
    case light, room, zone, scene, bridge, sensor, `switch`
    case roomOrZone = "room-or-zone"
    /// What can be shown or asked about.
    case targetOrSensor = "target-or-sensor"
    /// What can be listed, or whose lights can be.
    case kindOrTarget = "kind-or-target"
    /// What an effect can run on, and then the effect.
    case targetOrEffect = "target-or-effect"
    /// Known to lightd, but no part of the home.
    case token, automation, timer, curve

    /// - Parameter name: "targets", "scene", or as for `dim` "target> ... <level".
    init?(valueName name: String) {
        let word = name.prefix { $0.isLetter || $0 == "-" }
        guard let kind = NameKind(rawValue: String(word)) ?? NameKind(rawValue: String(word.dropLast())),
            word == kind.rawValue || word == kind.rawValue + "s"
        else { return nil }
        self = kind
    }

    func names(_ home: NamesBody) -> [Completion.Candidate] {
        func about(_ texts: [String], _ about: String) -> [Completion.Candidate] {
            texts.map { Completion.Candidate(text: $0, about: about) }
        }
        let (rooms, zones) = (about(home.rooms, "room"), about(home.zones, "zone"))
        let targets =
            about(home.lights, "light") + rooms + zones + [Completion.Candidate(text: "all", about: "every light")]
        let sensors = about(home.sensors ?? [], "sensor")
        return switch self {
        case .target: targets
        case .targetOrSensor: targets + sensors
        case .sensor, .switch: sensors
        case .light: about(home.lights, "light")
        case .room: rooms
        case .zone: zones
        case .roomOrZone: rooms + zones
        case .scene: about(home.scenes, "scene")
        case .bridge: about(home.bridges, "bridge")
        case .token, .automation, .timer, .curve, .kindOrTarget, .targetOrEffect: []
        }
    }
}

extension [Completion.Candidate] {
    /// Those that begin with this text; case is ignored, as lightd does. They also do if this text is a letter whose accent
    /// is not typed yet, or has the accent written in another way.
    fileprivate func beginning(with text: String) -> Self {
        let wanted = text.lowercased()
        return filter { candidate in
            let text = candidate.text.lowercased()
            return text.hasPrefix(wanted) || text.unicodeScalars.starts(with: wanted.unicodeScalars)
        }
    }
}

extension [CommandDescription.Argument] {
    /// The option or flag of this name, as typed: "--over", "--over=2s", "-q".
    fileprivate func option(_ word: String) -> Element? {
        let name = word.prefix { $0 != "=" }
        return first { $0.names?.contains { $0.typed == name } ?? false }
    }
}

extension Completion {
    /// The endpoint of the command that is being typed.
    private static func endpoint(in words: [String]) throws(ErrorReply) -> Endpoint {
        func value(of option: String) -> String? {
            for (place, word) in words.dropLast().enumerated() {
                if word == option { return words[place + 1] }
                if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
            }
            return nil
        }
        // Of several sites each has other names.
        if let site = try value(of: "--site").flatMap({ (text) throws(ErrorReply) in try SitePattern(text).only }) {
            return .site(
                site,
                try RelayProcess(
                    broker: value(of: "--broker"), insecure: words.contains("--insecure"), within: .seconds(2),
                    environment: ProcessInfo.processInfo.environment))
        }
        return try Endpoint(
            socket: value(of: "--socket"), url: value(of: "--url"), tokenFile: value(of: "--token-file"),
            insecure: words.contains("--insecure"), mayAsk: false, environment: ProcessInfo.processInfo.environment,
            exists: { access($0, F_OK) == 0 })
    }

    /// The hidden verb that the scripts call. Completing must never disturb: whatever is wrong, it prints nothing.
    ///
    /// - Parameter arguments: after "complete": "bash", the line up to the cursor, and the characters at which readline
    ///   breaks words; or "words" and the words after "lightctl", up to the cursor.
    static func run(_ arguments: [String]) {
        var arguments = arguments[...]
        let shell = arguments.popFirst()
        let line = shell == "bash" ? ShellLine(arguments) : nil
        let words = line?.words ?? Array(arguments)
        let endpoint = try? endpoint(in: words)
        let client = endpoint.map { DaemonClient($0) }
        // To log in by ssh takes longer.
        let patience: Duration = if case .ssh = endpoint { .seconds(1) } else { .milliseconds(200) }
        func ask<Body: Decodable>(_ path: String) -> Body? {
            try? client?.get(Body.self, path, within: patience)
        }
        let completion = Completion(
            names: { ask(Routes.names) }, scenes: { ask(Routes.scenes) ?? [] }, tokens: { ask(Routes.tokens) ?? [] },
            automations: { ask(Routes.automations) ?? [] }, timers: { ask(Routes.timers) ?? [] },
            curves: { ask(Routes.curves) ?? [] })
        guard let answer = try? completion.answer(to: words) else { return }
        let console = Console(terminal: .pipe, quiet: false, json: false)
        try? console.print(answer.lines(in: line).joined(separator: "\n"))
    }
}

extension CommandDescription {
    /// Of a command without those below it: lightctl itself has only the global options.
    static func of(command: any ParsableCommand.Type) throws -> CommandDescription {
        try of(command == LightCtl.self ? GlobalOptions.self : command)
    }
}

/// The commands below a command, and what it does if none is named.
extension ParsableCommand {
    static var shownSubcommands: [any ParsableCommand.Type] {
        (configuration.groupedSubcommands.flatMap(\.subcommands) + configuration.ungroupedSubcommands)
            .filter { $0.configuration.shouldDisplay }
    }
}
