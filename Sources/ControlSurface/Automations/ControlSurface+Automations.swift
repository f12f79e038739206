import AutomationFiles
public import ControlProtocol
import HashTreeCollections
import Khipu
import Languages
import Lighting

extension ControlSurface {
    public var automations: [AutomationBody] { directory.automationBodies(at: clock.now(), in: time) }
    public var timers: [AutomationBody] { directory.timerBodies(at: clock.now(), in: time) }

    /// All automations as a file, which ``apply(_:dryRun:from:)`` takes.
    public var automationFile: String {
        AutomationFile.yaml(of: directory.state.automations.lasting)
    }

    /// One automation as a file, and the version by which ``AutomationPlace`` knows whether it is still so.
    ///
    /// - Throws: `noSuchTarget`.
    public func automationFile(named name: String) throws(ErrorReply) -> (text: String, version: String) {
        let automation = try directory.automation(named: name)
        return (AutomationFile.yaml(of: [automation]), automation.version)
    }

    /// Makes the automations what a file says.
    ///
    /// - Parameters:
    ///   - keepsOthers: whether those that are not in the file stay.
    ///   - place: where the only automation of the file is to stand; all others stay.
    ///   - dryRun: whether nothing is changed.
    /// - Returns: what it has changed, or would change.
    /// - Throws: `wrongFile`, with a part for each mistake, if anything is wrong in it: then nothing is changed.
    ///   `changedSince` or `nameTaken` if the place is not as it is expected to be.
    public func apply(
        _ yaml: String, keepsOthers: Bool = false, at place: AutomationPlace? = nil, dryRun: Bool,
        from client: String
    ) async throws -> AutomationChangesBody {
        let file = try AutomationFile(reading: yaml, without: "changed", in: time)
        let before = directory
        let known = before.state.automations.lasting
        let (settled, notes) = before.settled(file, resolver)
        let keepsOthers = keepsOthers || place != nil
        let old = try place.map { (place) throws(ErrorReply) in try before.automations(at: place, for: settled) }
        let automations = keepsOthers ? known.merging(settled, insteadOf: old ?? []) : settled
        guard automations.count <= AutomationFile.mostAutomations else {
            throw ErrorReply(.wrongFile, "there would be more than \(AutomationFile.mostAutomations) automations")
        }
        var changes = AutomationChangesBody(from: known, to: automations)
        changes.warnings = notes + before.warnings(about: settled, of: file, at: clock.now(), in: time)
        if !dryRun {
            let response = await requests.send(holder: client, at: clock.now(), gesture: nil) {
                .automations(.replace(settled, keepsOthers: keepsOthers ? true : nil, insteadOf: old), ticket: $0)
            }
            guard let response else { throw CancellationError() }
            if let failure = response.outcome?.failure { throw failure.reply(in: directory) }
        }
        return changes
    }

    /// What would be sent if an automation ran now, step by step; what waits is passed over.
    func rehearsedRun(of automation: Automation, from client: String) async throws -> CommandReply {
        var reply = CommandReply(ticket: 0)
        (reply.requests, reply.failing) = ([], [])
        for case let .command(command) in automation.steps {
            do {
                let request = try CommandRequest(json: command.data)
                let step = try await perform(CommandRequest(request.command, dryRun: true), from: client)
                reply.requests? += step.requests ?? []
                reply.failing? += step.failing ?? []
            } catch let error as ErrorReply {
                reply.failing?.append(
                    .init(target: command.text, code: error.error.code, message: error.error.message))
            }
        }
        if reply.failing?.isEmpty == true { reply.failing = nil }
        return reply
    }
}

/// Where one automation is to stand among the others, and what is expected to stand there.
public struct AutomationPlace: Sendable {
    /// That of the one whose place it takes; `nil` for a new one, whose name nobody may have used.
    public let name: String?
    /// As ``ControlSurface/automationFile(named:)`` has told it; `nil` for any.
    public let version: String?

    public init(name: String?, version: String? = nil) { (self.name, self.version) = (name, version) }
}

extension Directory {
    /// The automations whose place others are to take.
    ///
    /// - Throws: if something else stands there than is expected.
    fileprivate func automations(
        at place: AutomationPlace, for new: [Automation]
    ) throws(ErrorReply) -> [Automation] {
        guard new.count == 1 else {
            throw ErrorReply(.wrongFile, "expected a file with one automation, and found \(new.count)")
        }
        var old: [Automation] = []
        if let name = place.name {
            guard let found = state.automations.automations[Automation.ID(name)], !found.isTimer,
                place.version == nil || place.version == found.version
            else {
                guard place.version != nil else { throw noAutomation(name) }
                throw Failure.changedMeanwhile(Automation.ID(name)).reply(in: self)
            }
            old = [found]
        }
        if let failure = state.automations.failure(putting: new, insteadOf: old) { throw failure.reply(in: self) }
        return old
    }
}

extension Automation {
    /// Changes with what is written in it.
    var version: String {
        // FNV-1a: nobody gains anything by two that are the same.
        let hash = AutomationFile.yaml(of: [self]).utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}

extension AutomationFile {
    /// - Parameter done: what would be done with a file without mistakes: "changed".
    /// - Throws: `wrongFile`, with a part for each mistake.
    init(reading yaml: String, without done: String, in time: HomeTime) throws(ErrorReply) {
        do throws(FileMistakes) {
            self = try AutomationFile(yaml: yaml, in: time)
        } catch {
            throw ErrorReply(
                .wrongFile, "the file has \(counted(error.mistakes.count, "mistake")); nothing was \(done)",
                parts: error.mistakes.map {
                    .init(target: "\($0.line):\($0.column)", code: .wrongFile, message: $0.message)
                })
        }
    }

    /// A warning about one of its automations, with its line.
    func warning(_ text: String, about automation: Automation) -> String {
        lines[automation.id].map { "\($0): \(text)" } ?? text
    }
}

extension AutomationChangesBody {
    fileprivate init(from known: [Automation], to new: [Automation]) {
        let difference = Message.Automations.Difference(from: known, to: new)
        let old = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        let now = Dictionary(new.map { ($0.id, $0) }) { first, _ in first }
        let changed = difference.changed.compactMap { name -> Changed? in
            let id = Automation.ID(name)
            guard let old = old[id], let now = now[id] else { return nil }
            return Changed(name: name, changes: now.changes(from: old))
        }
        self.init(
            added: difference.added, changed: changed, removed: difference.removed,
            unchanged: new.count - difference.added.count - changed.count)
    }
}

extension Automation {
    /// What differs, one line for each key of the file.
    fileprivate func changes(from old: Automation) -> [String] {
        func words(_ value: String) -> String { value.isEmpty ? "nothing" : value }
        return zip(old.keys, keys).compactMap { old, new -> String? in
            old.value == new.value ? nil : "\(new.name): \(words(old.value)) → \(words(new.value))"
        }
    }

    /// The keys of the file with their values, in words.
    private var keys: [(name: String, value: String)] {
        [
            ("name", name), ("when", triggers.map(\.description).joined(separator: ", ")),
            ("if", conditions.map(\.description).joined(separator: ", ")),
            ("do", steps.map(\.description).joined(separator: ", ")), ("mode", mode.rawValue),
            ("late", lateness?.description ?? ""), ("enabled", "\(isEnabled)"),
        ]
    }
}

extension Automation {
    static let placeIsMissing = "set 'home.latitude' and 'home.longitude' in lightd.yaml, so that lightd knows the sun"

    /// What in it cannot be without the home's place.
    var textsOfSun: [String] {
        triggers.filter(\.needsPlace).map(\.description) + conditions.filter(\.needsPlace).map(\.description)
    }
}

extension Automation.Condition {
    /// What reads as if it meant something else: a room is on if one of its lights is.
    fileprivate var misread: [String] {
        switch self {
        case let .not(.check(.power(name, .on))) where name == "all" || name.hasPrefix("@"):
            let (none, some) = (Self.check(.power(name, .off)), Self.not(.check(.power(name, .off))))
            return ["'\(self)' holds if no light is on, as '\(none)' does; '\(some)' holds if any is"]
        case let .not(condition): return condition.misread
        case let .any(conditions): return conditions.flatMap(\.misread)
        case .between, .days, .elevation, .check: return []
        }
    }
}

extension Automation.Trigger {
    var needsPlace: Bool { if case let .clock(trigger) = self { trigger.needsPlace } else { false } }
}

extension Automation.Condition {
    fileprivate var needsPlace: Bool {
        switch self {
        case let .between(start, end): start.needsPlace || end.needsPlace
        case .elevation: true
        case .days, .check: false
        case let .not(condition): condition.needsPlace
        case let .any(conditions): conditions.contains(where: \.needsPlace)
        }
    }
}

extension Directory {
    /// What is called what in the home, as automations call it.
    var homeNames: HomeNames { tables.homeNames.value { HomeNames(state) } }

    /// The automations of a file as they are kept: with what their names mean, and off if somebody has switched them off.
    ///
    /// - Returns: also what a person should know of that.
    func settled(_ file: AutomationFile, _ commands: CommandResolver) -> (automations: [Automation], notes: [String]) {
        var notes: [String] = []
        let settled = state.settled(file.automations, commands).map { automation in
            guard !file.saysWhetherEnabled.contains(automation.id),
                let known = state.automations.automations[automation.id], !known.isEnabled,
                known.alter(by: .enabling(.it(true))).isWritten(like: automation)
            else { return automation }
            notes.append(
                file.warning(
                    "'\(automation.name)' stays disabled, as it was; 'enabled: true' in the file, or "
                        + "'\(ShellQuote.line("lightctl automation enable", operand: automation.name))', enables it",
                    about: automation))
            return known
        }
        for (written, settled) in zip(file.automations, settled) {
            for (old, new) in settled.namesReplaced(in: written, commands) {
                notes.append(
                    file.warning(
                        "nothing is called '\(old)' any more: it is called '\(new)' now, which is taken for it",
                        about: written))
            }
        }
        return (settled, notes)
    }

    /// What in a file names nothing in the home now, and what waits for a sun that lightd cannot see.
    ///
    /// - Parameter automations: those of the file.
    func warnings(
        about automations: [Automation], of file: AutomationFile, at now: Timestamp, in time: HomeTime
    ) -> [String] {
        automations.flatMap { automation -> [String] in
            var texts: [String] = []
            for step in automation.steps {
                guard case let .command(command) = step else { continue }
                do throws(ErrorReply) {
                    _ = try CommandRequest(json: command.data).command.resolved(in: self, at: now)
                } catch {
                    texts.append("'\(command.text)': \(error.error.message)")
                }
            }
            if time.place == nil { texts += automation.textsOfSun.map { "'\($0)': \(Automation.placeIsMissing)" } }
            texts += state.missing(in: automation, homeNames, withCommands: false).map(words)
            texts += automation.conditions.flatMap(\.misread)
            return texts.map { file.warning($0, about: automation) }
        }
    }

    /// What an automation names and nothing in the home has; nothing as long as a bridge is away that may have it.
    func missing(in automation: Automation) -> [String] {
        state.isWhole ? state.missing(in: automation, homeNames).map(words) : []
    }

    /// The same for a reader of the page: lightd words it in English.
    func missing(in automation: Automation, _ words: Language) -> [String] {
        guard words != .english else { return missing(in: automation) }
        guard state.isWhole else { return [] }
        return state.missing(in: automation, homeNames).map { missing in
            missing.use.map { words("Not in this home: \($0.text.isolated)") } ?? words("No bridge is paired yet.")
        }
    }

    /// Whether everything exists that automations and timers name; `nil` if there are none.
    var checkOfAutomations: Check? {
        let all = state.automations.lasting + state.automations.timers
        guard !all.isEmpty else { return nil }
        guard state.isWhole else {
            return Check("automations", .ok, "\(all.count); what they name is looked at when every bridge is connected")
        }
        let missing = all.flatMap { automation in self.missing(in: automation).map { "'\(automation.name)': \($0)" } }
        guard let first = missing.first else {
            return Check("automations", .ok, "\(all.count); all that they name exists")
        }
        let more = missing.count > 1 ? ", and \(missing.count - 1) more" : ""
        return Check(
            "automations", .warning, first + more,
            remedy: .other("'lightctl automation list' shows what is missing; mend the file, and apply it"))
    }

    /// With the name that is probably meant.
    private func words(of missing: MissingName) -> String {
        guard let use = missing.use, let near = closest(to: use.text, in: names(for: use)) else { return missing.text }
        return "\(missing.text); did you mean '\(near)'?"
    }

    private func names(for use: NameUse) -> [String] {
        let isRoom = use.text.hasPrefix("@")
        let roomNames = rooms.map { (isRoom ? "@" : "") + $0.name }
        return switch use.role {
        case .lights: (isRoom ? [] : lights.map(\.name)) + roomNames
        case .room: roomNames
        case .sensor: sensors.map(\.name) + rooms.filter { room in sensors.contains { $0.room == room.id } }.map(\.name)
        case .scene: scenes.map(\.name)
        case .bridge: bridges.map(\.name)
        }
    }
}
