import ControlProtocol
import HashTreeCollections
import Khipu
import Languages
import Lighting

/// What the page's log shows of the journal: one line for each thing that somebody did, or that happened.
public struct PageLogLine: Encodable, Equatable, Sendable {
    /// Of the command, gesture or run, or of the first of several that are told in one line. A line with an id that was
    /// there before takes its place.
    public var id: String
    /// Of the newest entry in it: lines are shown by these, the newest first.
    public var number: Int64
    public var time: String
    /// When the first of several happened; null if it is one.
    @OrNull public var since: String?
    /// How often.
    public var count: Int
    /// "Anna", as `text` has it for `{who}`; null for what nobody did.
    @OrNull public var who: String?
    /// "{who} turned Kitchen off"
    public var text: String
    /// Why, or why it did not work: a sentence of its own; may be empty.
    public var reason: String
    /// The room of what it is about, if that is one lamp.
    @OrNull public var place: String?
    public var failed: Bool
}

/// What is read of the log at once.
public struct PageLogPage: Encodable, Equatable, Sendable {
    /// The newest first.
    public var lines: [PageLogLine]
    /// Names what is older; null if nothing is.
    @OrNull public var before: Int64?
}

/// What has happened since.
public struct PageLogChange: Encodable, Equatable, Sendable {
    /// New ones, and those that say something else than before.
    public var lines: [PageLogLine]
    /// The ids of lines that others now tell, too.
    public var gone: [String]
}

/// How much of what happened is told. Each tells what those before it do.
public enum PageLogScope: String, Comparable, Sendable, CaseIterable {
    /// What people, switches and automations did, and what went wrong.
    case people
    /// And what programs did.
    case programs
    /// And all that bridges and sensors report.
    case everything

    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .people: 0
        case .programs: 1
        case .everything: 2
        }
    }
}

/// Turns entries of the journal into lines, as they come.
///
/// Laws: entries that come in several parts give the lines that they give at once; and a line tells of no entry that the
/// scope leaves out.
struct PageLog: Sendable {
    private let words: Language
    private let scope: PageLogScope
    /// Oldest first, each of one command, gesture, run or fact.
    private var acts: [Act] = []
    private var shown: [PageLogLine] = []

    init(in language: Language, _ scope: PageLogScope) { (words, self.scope) = (language, scope) }

    /// The newest first.
    var lines: [PageLogLine] { folded.reversed() }

    /// - Parameter entries: newer than those before them, oldest first.
    mutating func take(_ entries: [Journal.Entry], in home: Directory) {
        for entry in entries { take(entry, ActWords(entry, in: home, words)) }
        acts.removeFirst(max(0, acts.count - Self.mostActs))
    }

    /// What has changed since the last call; at the first all is new.
    mutating func changes() -> PageLogChange {
        let (lines, before) = (folded, Dictionary(shown.map { ($0.id, $0) }) { $1 })
        let ids = Set(lines.map(\.id))
        // What is no longer remembered stays where it is shown.
        let oldest = lines.map(\.number).min() ?? 0
        let gone = shown.filter { !ids.contains($0.id) && $0.number >= oldest }.map(\.id)
        shown = lines
        return PageLogChange(lines: lines.reversed().filter { before[$0.id] != $0 }, gone: gone)
    }

    private static let mostActs = 2_000
    /// Between two commands of a run that are told in one line.
    private static let longestDeed = Duration.seconds(60)

    // MARK: Acts

    fileprivate struct Act: Sendable {
        let id: String
        /// That it is a part of.
        var run: String?
        var number: Int64
        var time: Timestamp
        var who: String?
        var isAutomatic: Bool
        /// By the commands' tickets: a run has several.
        var deeds: [(ticket: UInt64, deed: Deed)] = []
        /// In place of deeds.
        var sentence: String?
        var reason = ""
        var hasFailed = false
        /// As it was worded last.
        var line: PageLogLine?
    }

    private mutating func take(_ entry: Journal.Entry, _ entryWords: ActWords) {
        let ticket = entry.message.ticket
        if let run = entryWords.run {
            take(run, entry, entryWords)
        } else if ticket.isUnasked {
            guard let fact = entryWords.fact, fact.scope <= scope else { return }
            take(fact, entry, entryWords)
        } else if entryWords.scope <= scope {
            takeCommand(entry, entryWords)
        }
    }

    private mutating func takeCommand(_ entry: Journal.Entry, _ entryWords: ActWords) {
        let (message, ticket, sender) = (entry.message, entry.message.ticket, Sender(entry.message.ticket))
        let isAnswer = message.isResponse || message.isSettlement
        // A client names its gestures as it likes; a run's are lightd's.
        let isRun = [.automation, .timer].contains(sender.kind)
        var id = ticket.gesture.map { isRun ? $0 : "\(ticket.holder) \($0)" } ?? "\(ticket.number)"
        var known = acts.lastIndex { $0.id == id || $0.run == id }
        if isRun, let last = known, !isAnswer, entry.time.since(acts[last].time) > Self.longestDeed {
            // What it does after a wait is told by itself: it has an hour of its own.
            (id, known) = ("\(id) \(ticket.number)", nil)
        }
        guard known != nil || !message.isSettlement else { return }
        let deed = entryWords.deed
        guard known != nil || deed != nil || message.failure != nil else { return }
        let place = known ?? acts.endIndex
        if known == nil {
            acts.append(
                Act(
                    id: id, run: isRun ? ticket.gesture : nil, number: entry.number, time: entry.time,
                    who: entryWords.who(sender), isAutomatic: sender.isAutomatic))
        }
        if !isAnswer {
            acts[place].number = entry.number
            acts[place].time = entry.time
        }
        if let deed { acts[place].note(deed, of: ticket.number, isOneOfMany: sender.isAutomatic) }
        if let failure = message.failure {
            acts[place].hasFailed = true
            acts[place].reason = entryWords.reason(failure)
        }
        acts[place].word(entryWords)
    }

    /// The beginning or end of an automation's run, or why it did not run.
    private mutating func take(_ run: ActWords.Run, _ entry: Journal.Entry, _ entryWords: ActWords) {
        let known = acts.lastIndex { $0.id == run.id || $0.run == run.id }
        guard known != nil || run.isTold else { return }
        let place = known ?? acts.endIndex
        if known == nil {
            acts.append(
                Act(id: run.id, number: entry.number, time: entry.time, who: run.who, isAutomatic: true))
        }
        if let sentence = run.sentence { acts[place].sentence = sentence }
        if !run.reason.isEmpty { acts[place].reason = run.reason }
        acts[place].hasFailed = acts[place].hasFailed || run.hasFailed
        acts[place].word(entryWords)
    }

    /// Several lamps that one switch has changed are told in one line.
    private mutating func take(_ fact: ActWords.Fact, _ entry: Journal.Entry, _ entryWords: ActWords) {
        let same = acts.indices.suffix(8).last { place in
            let act = acts[place]
            return act.id.hasPrefix("n") && act.who == fact.who && act.sentence == nil
                && act.deeds.last?.deed.verb == fact.deed?.verb && fact.deed != nil
                && entry.time.since(act.time) < .seconds(3)
        }
        if let same, let deed = fact.deed {
            acts[same].add(deed.things)
        } else {
            acts.append(
                Act(
                    id: "n\(entry.number)", number: entry.number, time: entry.time, who: fact.who,
                    isAutomatic: fact.isAutomatic, deeds: fact.deed.map { [(ticket: UInt64(0), deed: $0)] } ?? [],
                    sentence: fact.sentence))
        }
        acts[same ?? acts.endIndex - 1].word(entryWords)
    }

    // MARK: What repeats

    /// Oldest first. What runs by itself and does the same again is one line over other such lines; of people only what
    /// they repeat at once. So a night of motion is one line, and no order of what people did is lost.
    private var folded: [PageLogLine] {
        var lines: [(line: PageLogLine, isAutomatic: Bool, end: Timestamp)] = []
        for act in acts {
            guard var line = act.line else { continue }
            let same = lines.indices.reversed().prefix(Self.deepestFold)
                .prefix { act.isAutomatic ? lines[$0].isAutomatic : $0 == lines.endIndex - 1 }
                .first { place in
                    let other = lines[place]
                    return other.line.tells(line) && other.isAutomatic == act.isAutomatic
                        && act.time.since(other.end) < (act.isAutomatic ? Self.longestPause : .seconds(600))
                }
            if let same {
                let first = lines.remove(at: same).line
                line.id = first.id
                line.since = first.since ?? first.time
                line.count = first.count + 1
            }
            lines.append((line, act.isAutomatic, act.time))
        }
        return lines.map(\.line)
    }

    private static let deepestFold = 12
    private static let longestPause = Duration.seconds(8 * 3600)
}

extension PageLog.Act {
    /// - Parameter isOneOfMany: whether it did others before, which stand; of a hand's gesture only the newest does.
    fileprivate mutating func note(_ deed: Deed, of ticket: UInt64, isOneOfMany: Bool) {
        if let place = deeds.firstIndex(where: { $0.ticket == ticket }) {
            deeds[place].deed = deed
        } else if !isOneOfMany {
            deeds = [(ticket, deed)]
        } else if !deeds.contains(where: { $0.deed == deed }) {
            deeds.append((ticket, deed))
        }
    }

    fileprivate mutating func add(_ things: [Deed.Thing]) {
        for thing in things where deeds.last?.deed.things.contains(thing) == false {
            deeds[deeds.endIndex - 1].deed.things.append(thing)
        }
    }

    /// Names are told as they were then, so it is worded with each entry.
    fileprivate mutating func word(_ entryWords: ActWords) {
        let all = deeds.map(\.deed)
        let things = Set(all.flatMap(\.things).map(\.target))
        line = PageLogLine(
            id: id, number: number, time: time.iso8601, since: nil, count: 1, who: who,
            text: sentence ?? entryWords.sentence(who == nil ? nil : "{who}", all), reason: reason,
            place: things.count == 1 ? things.first.flatMap(entryWords.room) : nil, failed: hasFailed)
    }
}

extension PageLogLine {
    /// Whether both say the same.
    fileprivate func tells(_ other: Self) -> Bool {
        who == other.who && text == other.text && reason == other.reason && place == other.place
            && failed == other.failed
    }
}

extension Message {
    fileprivate var isSettlement: Bool {
        if case .lighting(.settled, _) = self { true } else { false }
    }

    fileprivate var failure: Failure? {
        if case let .lighting(.settled(outcome), _) = self { outcome.failure } else { outcome?.failure }
    }
}
