import AutomationFiles
public import ControlProtocol
import HashTreeCollections
import Khipu
import Lighting

extension ControlSurface {
    public var automations: [AutomationBody] { directory.automationBodies(at: clock.now(), in: time) }
    public var timers: [AutomationBody] { directory.timerBodies(at: clock.now(), in: time) }

    /// All automations as a file, which ``apply(_:dryRun:from:)`` takes.
    public var automationFile: String {
        AutomationFile.yaml(of: directory.state.automations.lasting)
    }

    /// Makes the automations what a file says.
    ///
    /// - Parameter dryRun: whether nothing is changed.
    /// - Returns: what it has changed, or would change.
    /// - Throws: `wrongFile`, with a part for each mistake, if anything is wrong in it: then nothing is changed.
    public func apply(_ yaml: String, dryRun: Bool, from client: String) async throws -> AutomationChangesBody {
        let file = try AutomationFile(reading: yaml, without: "changed", in: time)
        let before = directory
        var changes = AutomationChangesBody(
            from: before.state.automations.lasting, to: file.automations)
        changes.warnings = before.warnings(about: file, at: clock.now(), in: time)
        if !dryRun {
            let response = await requests.send(holder: client, at: clock.now(), gesture: nil) {
                .automations(.replace(file.automations), ticket: $0)
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
    fileprivate var textsOfSun: [String] {
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
    /// What names nothing in the home now, and what waits for a sun that lightd cannot see.
    func warnings(about file: AutomationFile, at now: Timestamp, in time: HomeTime) -> [String] {
        file.automations.flatMap { automation -> [String] in
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
            texts += state.missing(in: automation)
            texts += automation.conditions.flatMap(\.misread)
            return texts.map { file.warning($0, about: automation) }
        }
    }
}
