import HueWire
import Lighting

/// Which tokens wait, for how many parts each, and until when. Completions collect here until they are fetched.
struct Waiters: Sendable {
    private struct OpenCommand {
        var openParts: Int
        private(set) var misses: [Completion.Miss] = []
        private var noted: Set<Completion.Miss> = []
        var isSent = false
        /// Whether it was before its newest attempt.
        var wasSent = false

        init(openParts: Int) {
            self.openParts = openParts
        }

        /// Each miss counts once, however many attributes of a light it concerns.
        mutating func note(_ miss: Completion.Miss) {
            if noted.insert(miss).inserted { misses.append(miss) }
        }
    }

    private struct Deadline {
        let time: Duration
        let token: UInt64
    }

    private var commands: [UInt64: OpenCommand] = [:]
    /// The earliest first. Those of completed tokens are removed when they get in the way.
    private var deadlines: [Deadline] = []
    private var completions: [Completion] = []

    /// - Parameter deadline: `nil` if it waits until everything is settled.
    mutating func open(_ token: UInt64, parts: Int, deadline: Duration?) {
        guard parts > 0 else { return completions.append(Completion(token: token, result: .done)) }
        commands[token] = OpenCommand(openParts: parts)
        guard let deadline else { return }
        // It is nearly always the last.
        let later = deadlines.reversed().prefix { $0.time > deadline }.count
        deadlines.insert(Deadline(time: deadline, token: token), at: deadlines.count - later)
        if deadlines.count > 2 * commands.count + 64 { deadlines.removeAll { commands[$0.token] == nil } }
    }

    mutating func noteSent(_ token: UInt64) {
        guard let place = commands.index(forKey: token) else { return }
        commands.values[place].wasSent = commands.values[place].isSent
        commands.values[place].isSent = true
    }

    /// Takes back the newest ``noteSent(_:)``: the bridge has not carried it out, and has said so.
    mutating func noteRefused(_ token: UInt64) {
        guard let place = commands.index(forKey: token) else { return }
        commands.values[place].isSent = commands.values[place].wasSent
    }

    /// Completes one part of what a token asked for.
    mutating func settle(_ token: UInt64, _ miss: Completion.Miss? = nil) {
        guard let place = commands.index(forKey: token) else { return }
        if let miss { commands.values[place].note(miss) }
        commands.values[place].openParts -= 1
        guard commands.values[place].openParts == 0 else { return }
        let misses = commands.remove(at: place).value.misses
        completions.append(Completion(token: token, result: misses.isEmpty ? .done : .failed(misses)))
    }

    /// Completes the tokens whose deadline has passed.
    ///
    /// - Returns: those tokens.
    mutating func close(at now: Duration) -> [UInt64] {
        let passed = deadlines.prefix { $0.time <= now }
        deadlines.removeFirst(passed.count)
        return passed.compactMap { deadline in
            guard let command = commands.removeValue(forKey: deadline.token) else { return nil }
            let result = Completion.Result.late(isSent: command.isSent, command.misses)
            completions.append(Completion(token: deadline.token, result: result))
            return deadline.token
        }
    }

    func isOpen(_ token: UInt64) -> Bool { commands[token] != nil }

    /// How many tokens are open.
    var count: Int { commands.count }

    /// The next deadline of an open token.
    var next: Duration? { deadlines.first { commands[$0.token] != nil }?.time }

    mutating func collect() -> [Completion] {
        defer { completions.removeAll() }
        return completions
    }
}

/// What became of a command; each token gets exactly one.
struct Completion: Equatable, Sendable {
    enum Result: Equatable, Sendable {
        /// Every value was delivered, or overtaken by a newer one.
        case done
        /// Everything is settled, but these were not delivered.
        case failed([Miss])
        /// The deadline passed. What is left is still sent, except reads.
        case late(isSent: Bool, [Miss])
    }

    struct Miss: Hashable, Sendable {
        enum Reason: Hashable, Sendable {
            case refused(BridgeWords)
            case doubted(BridgeWords)
            /// The light is gone, or somebody else changed it.
            case withdrawn
            /// The connection was lost for longer than commands are kept.
            case expired
        }

        /// `nil` for a job.
        let light: ResourceID?
        let reason: Reason
    }

    let token: UInt64
    let result: Result
}
