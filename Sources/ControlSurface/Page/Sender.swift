import ControlProtocol
import Khipu
import Languages
import Lighting

/// Who sent a command, as the people of a home call them. A ticket's holder says more, for whoever keeps the house.
///
/// Every surface for people words a holder here, and nowhere else. What a holder begins with is lightd's word, so nothing
/// that a client calls itself is taken for another kind of sender.
struct Sender: Hashable, Sendable {
    enum Kind: Hashable {
        case person, page, program, automation, timer, wallSwitch, following, away, lightd
    }

    let kind: Kind
    /// As somebody has given it; `nil` if there is none.
    let name: String?

    private init(_ kind: Kind, _ name: some StringProtocol) {
        (self.kind, self.name) = (kind, name.isEmpty ? nil : String(name))
    }

    private init(_ kind: Kind) { (self.kind, name) = (kind, nil) }

    init(_ ticket: Ticket) {
        self.init(holder: ticket.holder, isOwn: ticket.isOwn == true)
    }

    /// - Parameter isOwn: whether the domain sent the command by itself.
    init(holder: String, isOwn: Bool = false) {
        if let name = holder.within("automation '", "'") {
            self.init(.automation, name)
        } else if let name = holder.within("switch '", "'") {
            self.init(.wallSwitch, name)
        } else if holder == Ticket.replayHolder {
            self.init(.away)
        } else if holder == "lightd" {
            self.init(.lightd)
        } else if isOwn, holder.hasPrefix("timer "), let of = holder.firstRange(of: " of ") {
            self.init(.timer, Self(holder: String(holder[of.upperBound...])).name ?? "")
        } else if isOwn, let on = holder.firstRange(of: " on ") {
            self.init(.following, holder[..<on.lowerBound])
        } else if holder == "a page" || holder.hasPrefix("a page ") {
            let token = holder.token(after: " with token '").flatMap { Self.isMadeUp($0) ? nil : $0 }
            self.init(.page, holder.token(after: " named '") ?? token ?? "")
        } else if holder.hasPrefix("\"") || holder.hasPrefix("a client ") {
            self.init(.program, holder.token(after: " with token '") ?? holder.quoted ?? "")
        } else if holder == "mqtt" || holder.hasPrefix("mqtt as ") {
            self.init(.program, holder.quoted ?? "MQTT")
        } else if holder.hasPrefix("uid ") || holder.contains(" (uid ") {
            self.init(socket: holder)
        } else {
            self.init(.person, SenderText.brief(holder))
        }
    }

    /// Of a client of the unix socket: "anna (uid 1000) with lightctl", `uid 1000 with python3 as "kitchen panel"`.
    private init(socket holder: String) {
        let known = holder[..<(holder.firstIndex(of: "\"") ?? holder.endIndex)]
        let program = known.firstRange(of: " with ").map { known[$0.upperBound...] }
            .map { $0[..<($0.firstIndex(of: " ") ?? $0.endIndex)] }
        if let program, program != "lightctl" {
            self.init(.program, holder.quoted ?? String(program))
        } else if holder.hasPrefix("uid ") {
            self.init(.person)
        } else {
            self.init(.person, SenderText.brief(holder))
        }
    }

    /// Whether lightd gave a page this name, because nobody has: "browser 23 Nov 21:33". It tells nobody who that is.
    private static func isMadeUp(_ name: String) -> Bool {
        let parts = name.split(separator: " ")
        return parts.count >= 4 && ["phone", "tablet", "browser"].contains(parts[0]) && Int(parts[1]) != nil
            && parts[3].contains(":")
    }

    /// Whether no hand is in it: what runs by itself does the same again and again.
    var isAutomatic: Bool {
        switch kind {
        case .automation, .timer, .following, .away, .lightd, .program: true
        case .person, .page, .wallSwitch: false
        }
    }

    /// "anna", "“Anna’s phone”", "wall switch Hall": names are isolated, so that they neither turn a sentence round nor look
    /// like more of it.
    func words(_ words: Language) -> String {
        let name = name?.isolated
        return switch kind {
        case .person: name ?? words("somebody")
        // In marks, because whoever uses it has chosen it: nobody is taken for another, or for lightd.
        case .page: name.map { words("“\($0)”") } ?? words("the page")
        case .program: name ?? words("a program")
        case .automation: name ?? words("an automation")
        case .timer: name.map { words("a timer of \($0)") } ?? words("a timer")
        case .wallSwitch: name.map { words("wall switch \($0)") } ?? words("wall switch")
        case .following where self.name == "wake-up": words("the wake-up light")
        case .following where self.name == "sleep": words("the sleep light")
        case .following: words("the time of day")
        case .away: words("away mode")
        case .lightd: "lightd"
        }
    }
}

extension String {
    /// What stands between a beginning and an end that it has.
    fileprivate func within(_ start: String, _ end: String) -> Substring? {
        hasPrefix(start) && hasSuffix(end) && count >= start.count + end.count
            ? dropFirst(start.count).dropLast(end.count) : nil
    }

    /// The name of a token or a page in lightd's own words, which no quotation mark precedes but those around a client's
    /// name.
    fileprivate func token(after words: String) -> String? {
        var rest = self[...]
        if rest.hasPrefix("\"") {
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: "\"") else { return nil }
            rest = rest[end...].dropFirst()
        }
        guard let start = rest.firstRange(of: words) else { return nil }
        let name = rest[start.upperBound...]
        return name.firstIndex(of: "'").map { String(name[..<$0]) }
    }

    /// What a client calls itself; it keeps its quotation marks, which say that nobody vouches for it.
    fileprivate var quoted: String? {
        guard let start = firstIndex(of: "\"") else { return nil }
        let rest = self[index(after: start)...]
        return rest.firstIndex(of: "\"").map { "\u{201C}\(rest[..<$0])\u{201D}" }
    }

    /// A name for a sentence of any direction (U+2068…U+2069). What could end that, or begin a line, is taken out, and
    /// nothing in it is taken for `{at}`.
    var isolated: String {
        var plain = UnicodeScalarView()
        plain.append("\u{2068}")
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x202A...0x202E, 0x2066...0x2069: continue
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: plain.append(" ")
            default: plain.append(scalar)
            }
        }
        plain.append("\u{2069}")
        return String(plain).withoutMarks
    }

    /// With a capital letter, as a sentence begins; but a name stays as it is.
    var asBeginning: String { first.map { $0.uppercased() + dropFirst() } ?? self }
}
