import ArgumentParser
public import ControlProtocol

/// Commands as a person types them after "lightctl", for programs that read them from a text.
///
///     try Typed.commands(from: #"dim kitchen "floor lamp" 40% --over 10m"#)  // two commands, one for each light
public enum Typed {
    /// Every verb that may be typed, in the order of lightctl's help.
    static var verbs: [Entry] {
        [
            Entry(TurnVerb.self), Entry(OnVerb.self), Entry(OffVerb.self), Entry(ToggleVerb.self), Entry(SetVerb.self),
            Entry(EffectVerb.self), Entry(GradientVerb.self),
            Entry(IncreaseVerb.self), Entry(DecreaseVerb.self), Entry(DimVerb.self), Entry(RenameVerb.self),
            Entry(RecallVerb.self), Entry(UndoVerb.self), Entry(RedoVerb.self), Entry(PowerupVerb.self),
            Entry(IdentifyVerb.self), Entry(SignalVerb.self), Entry(FollowVerb.self), Entry(UnfollowVerb.self),
            Entry(ResumeVerb.self),
            Entry(WakeVerb.self), Entry(SleepVerb.self), Entry(SetCurveVerb.self, of: "curve"),
            Entry(RemoveCurveVerb.self, of: "curve"),
            Entry(CreateRoomVerb<OfRooms>.self, of: "room"), Entry(AddToRoomVerb<OfRooms>.self, of: "room"),
            Entry(RemoveFromRoomVerb<OfRooms>.self, of: "room"), Entry(RenameRoomVerb<OfRooms>.self, of: "room"),
            Entry(DeleteRoomVerb<OfRooms>.self, of: "room"),
            Entry(CreateRoomVerb<OfZones>.self, of: "zone"), Entry(AddToRoomVerb<OfZones>.self, of: "zone"),
            Entry(RemoveFromRoomVerb<OfZones>.self, of: "zone"), Entry(RenameRoomVerb<OfZones>.self, of: "zone"),
            Entry(DeleteRoomVerb<OfZones>.self, of: "zone"),
            Entry(SaveSceneVerb.self, of: "scene"), Entry(UpdateSceneVerb.self, of: "scene"),
            Entry(EditSceneVerb.self, of: "scene"),
            Entry(RenameSceneVerb.self, of: "scene"), Entry(DeleteSceneVerb.self, of: "scene"),
            Entry(ActivateSceneVerb.self, of: "scene"), Entry(DeactivateSceneVerb.self, of: "scene"),
            Entry(EnableSensorVerb.self, of: "sensor"), Entry(DisableSensorVerb.self, of: "sensor"),
            Entry(ReorderScenesVerb.self, of: "scene"),
        ]
    }

    /// A verb, and the word before it if it is one of a group.
    struct Entry {
        let type: any Verb.Type
        let group: String?

        init(_ type: any Verb.Type, of group: String? = nil) { (self.type, self.group) = (type, group) }

        var name: String { type.configuration.commandName ?? "" }
    }

    /// The commands of one line, one for each target.
    ///
    /// - Parameter others: words that may stand in the place of a verb where the line was found.
    /// - Throws: ``TextError`` with the place of the word that is wrong.
    public static func commands(from line: String, and others: [String] = []) throws(TextError) -> [Command] {
        let words = try ShellWords.split(line)
        let (type, rest) = try verb(words, and: others, end: line.unicodeScalars.count)
        return try commands(of: type, words, rest, end: line.unicodeScalars.count)
    }

    /// A command that was typed as one word, in quotation marks, as its words; any other words as they are.
    public static func unquoted(_ words: [String]) -> [String] {
        guard !words.contains(where: firstWords.contains) else { return words }
        let split = words.flatMap { word in (try? ShellWords.split(word).map(\.text)) ?? [word] }
        return split.contains(where: firstWords.contains) ? split : words
    }

    /// The names that may stand first in a line.
    public static var firstWords: [String] { verbs.map { $0.group ?? $0.name }.unique }

    private static func verb(
        _ words: [ShellWords.Word], and others: [String], end: Int
    ) throws(TextError) -> (any Verb.Type, ArraySlice<ShellWords.Word>) {
        guard let first = words.first else {
            throw TextError("a command is missing, such as 'turn on hall'", at: end)
        }
        guard first.text != "lightctl" else {
            throw TextError("leave out 'lightctl': a command begins with its verb", at: first.offset)
        }
        if let entry = verbs.first(where: { $0.group == nil && $0.name == first.text }) {
            return (entry.type, words.dropFirst())
        }
        let group = verbs.filter { $0.group == first.text }
        guard !group.isEmpty else {
            throw TextError(
                "unknown command '\(first.text)'; "
                    + didYouMean(first.text, of: firstWords + others, else: "use one of"),
                at: first.offset)
        }
        guard let second = words.dropFirst().first else {
            throw TextError("'\(first.text)' needs one of \(group.map(\.name).joined(separator: ", "))", at: end)
        }
        guard let entry = group.first(where: { $0.name == second.text }) else {
            throw TextError(
                "unknown command '\(first.text) \(second.text)'; "
                    + didYouMean(second.text, of: group.map(\.name), else: "use one of"),
                at: second.offset)
        }
        return (entry.type, words.dropFirst(2))
    }

    private static let onlyAtTerminal: Set = ["--wait", "--dry-run", "--help", "-h", "--for"]

    private static func commands<Which: Verb>(
        of verb: Which.Type, _ line: [ShellWords.Word], _ words: ArraySlice<ShellWords.Word>, end: Int
    ) throws(TextError) -> [Command] {
        let texts = words.map(\.text)
        if let word = words.prefix(while: { $0.text != "--" }).first(where: { word in
            onlyAtTerminal.contains(word.text) && !Which.ownOptions.contains(word.text)
        }) {
            throw TextError("'\(word.text)' is for a command that is typed: leave it out", at: word.offset)
        }
        do {
            guard
                let parsed = try Alone<Which>.parseAsRoot([Which.configuration.commandName ?? ""] + texts)
                    as? Which
            else {
                throw TextError("a command is missing, such as 'turn on hall'", at: end)
            }
            let commands = try parsed.commands()
            for command in commands { try CommandRequest(command).validate() }
            return commands
        } catch let error as TextError {
            throw error
        } catch let refused as ErrorReply {
            throw TextError(refused.error.message, at: line.first?.offset ?? 0)
        } catch {
            if let unknown = unknownOption(of: verb, words) { throw unknown }
            if let turned = UsageWords.turnedRound([Which.configuration.commandName ?? ""] + texts) {
                throw TextError("did you mean '\(turned)'?", at: line[0].offset)
            }
            let sentence = UsageWords.sentence(Alone<Which>.message(for: error))
            throw TextError(sentence, at: place(of: sentence, words) ?? (isMissing(sentence) ? end : line[0].offset))
        }
    }

    private static func unknownOption(
        of verb: any Verb.Type, _ words: ArraySlice<ShellWords.Word>
    ) -> TextError? {
        // Without a description of the verb, ArgumentParser's own words remain.
        guard words.contains(where: { $0.text.hasPrefix("--") }), let described = try? CommandDescription.of(verb),
            let unknown = UsageWords.unknownOption(in: words.map(\.text), of: described.arguments ?? [])
        else { return nil }
        let word = words.first { $0.text.prefix { $0 != "=" } == unknown.name }
        return TextError(unknown.sentence, at: word?.offset ?? 0)
    }

    /// The place of the first word that a message quotes.
    private static func place(of message: String, _ words: ArraySlice<ShellWords.Word>) -> Int? {
        let quoted = message.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        return quoted.lazy.compactMap { text in
            words.first { $0.text == text || $0.text.hasPrefix("--") && $0.text.hasSuffix("=\(text)") }?.offset
        }.first
    }

    private static func isMissing(_ message: String) -> Bool { message.hasPrefix("missing") }
}

/// A verb by itself, as lightctl would read it: "off help" means a light that is called so.
private struct Alone<Which: Verb>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "lightctl", subcommands: [Which.self])
    }
}

extension Typed {
    /// A line that means this command alone, for verbs that take several targets; `nil` for any other.
    public static func line(for command: Command) -> String? {
        switch command {
        case let .turn(to: power, target: target, over: over): line(["turn", power.rawValue, target], over)
        case let .toggle(target: target, over: over): line(["toggle", target], over)
        case let .set(values, target: target, over: over, keepRatios: true):
            values.brightness.map { line(["dim", target, percent($0), "--ratio"], over) }
        case let .set(values, target: target, over: over, keepRatios: false):
            // An effect has no transition: what follows --over is how long it takes.
            values.effect != nil && over != nil
                ? nil : words(values, target).map { line($0, values.effectDuration ?? over) }
        case let .increase(value, by: points, target: target, over: over, stepping):
            line(["increase", value.rawValue, target, "--by", percent(points)] + words(stepping), over)
        case let .decrease(value, by: points, target: target, over: over, stepping):
            line(["decrease", value.rawValue, target, "--by", percent(points)] + words(stepping), over)
        case let .recall(scene: scene, over: over, dynamic: isDynamic, speed: speed):
            line(
                ["recall", scene] + (isDynamic.map { [$0 ? "--dynamic" : "--static"] } ?? [])
                    + (speed.map { ["--speed", percent($0)] } ?? []), over)
        case let .identify(target: target): line(["identify", target], nil)
        case let .signal(target: target, colors: colors, duration: duration):
            line(
                ["signal", target] + colors.flatMap { ["--color", $0] }
                    + (duration == 0 ? ["--end"] : ["--for", TimeSpan(milliseconds: duration).text]), nil)
        case let .unfollow(target: target, timed: false): line(["unfollow", target], nil)
        case let .resume(target: target): line(["resume", target], nil)
        case let .wake(target: target, over: over): line(["wake", target], over)
        case let .sleep(target: target, over: over): line(["sleep", target], over)
        default: nil
        }
    }

    private static func line(_ words: [String], _ over: Int?) -> String {
        ShellQuote.line(words + (over.map { ["--over", TimeSpan(milliseconds: $0).text] } ?? []))
    }

    /// `nil` for values that no verb sets in one command, such as an effect and a colour below it.
    private static func words(_ values: LightValuesBody, _ target: String) -> [String]? {
        if let effect = values.effect {
            let alone = LightValuesBody(
                effect: effect, effectSpeed: values.effectSpeed, effectColor: values.effectColor,
                effectDuration: values.effectDuration)
            let options = [("--speed", values.effectSpeed.map(percent)), ("--color", values.effectColor)]
            return values == alone ? ["effect", target, effect] + words(options) : nil
        }
        if let gradient = values.gradient {
            let alone = LightValuesBody(gradient: gradient, gradientMode: values.gradientMode)
            let options = [("--mode", values.gradientMode?.rawValue)]
            return values == alone ? ["gradient", target] + gradient + words(options) : nil
        }
        let options: [(String, String?)] = [
            ("--brightness", values.brightness.map(percent)), ("--color", values.color),
            ("--temperature", values.temperature.map { "\($0)mirek" }), ("--hue", values.hue.map { shortest($0) }),
            ("--saturation", values.saturation.map(percent)),
        ]
        return ["set", target] + words(options)
    }

    private static func words(_ options: [(String, String?)]) -> [String] {
        options.flatMap { name, value in value.map { [name, $0] } ?? [] }
    }

    private static func words(_ stepping: Command.Stepping) -> [String] {
        (stepping.keepRatios ? ["--ratio"] : []) + (stepping.perceptual ? ["--perceptual"] : [])
    }

    private static func percent(_ value: Double) -> String { shortest(value) + "%" }
}

extension Typed {
    /// A line in which names are replaced, the rest as it was typed.
    ///
    /// - Parameters:
    ///   - names: the new ones by the old.
    ///   - command: what the new line must mean. A word may look like a name and be none: "turn on on".
    public static func line(_ line: String, replacing names: [String: String], toMean command: Command) -> String {
        guard let words = try? ShellWords.split(line) else { return self.line(for: command) ?? line }
        let places = words.indices.filter { names[words[$0].text] != nil }
        let all = self.line(line, words, replacing: names, at: Set(places))
        let single = places.reversed().lazy.map { self.line(line, words, replacing: names, at: [$0]) }
        if means(all, command) { return all }
        return single.first { means($0, command) } ?? self.line(for: command) ?? all
    }

    private static func means(_ line: String, _ command: Command) -> Bool { (try? commands(from: line)) == [command] }

    private static func line(
        _ line: String, _ words: [ShellWords.Word], replacing names: [String: String], at places: Set<Int>
    ) -> String {
        let scalars = Array(line.unicodeScalars)
        var result = String.UnicodeScalarView(scalars[..<(words.first?.offset ?? scalars.count)])
        for (place, word) in words.enumerated() {
            let end = words.indices.contains(place + 1) ? words[place + 1].offset : scalars.count
            let written = scalars[word.offset..<end]
            guard places.contains(place), let name = names[word.text] else {
                result.append(contentsOf: written)
                continue
            }
            result.append(contentsOf: ShellQuote.word(name).unicodeScalars)
            result.append(contentsOf: written.reversed().prefix { $0 == " " || $0 == "\t" })
        }
        return String(result)
    }
}
