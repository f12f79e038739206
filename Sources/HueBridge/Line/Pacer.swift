/// When the next command may go to a bridge, as a value without a clock: `now` comes in. Bridges take about ten light commands and
/// one group command a second, from all their clients together (home-assistant/core#62162, peter-murray/node-hue-api).
///
/// What comes later lives here too: newest value wins, folding equal writes into one group command, a rate that gives way.
struct Pacer: Equatable, Sendable {
    enum Kind: Sendable { case light, group, other }

    private struct Bucket: Equatable {
        let perSecond: Double
        var filled: Double
        var last: Duration = .zero

        init(_ perSecond: Int) {
            self.perSecond = Double(max(perSecond, 1))
            filled = self.perSecond
        }

        mutating func take(at now: Duration) -> Duration {
            filled = min(perSecond, filled + (now - last) / .seconds(1) * perSecond) - 1
            last = now
            return filled >= 0 ? .zero : .seconds(-filled / perSecond)
        }
    }

    private var lights: Bucket
    private var groups: Bucket

    init(lightsPerSecond: Int, groupsPerSecond: Int) {
        lights = Bucket(lightsPerSecond)
        groups = Bucket(groupsPerSecond)
    }

    /// Books the next place for a command.
    ///
    /// - Returns: how long to wait before it is sent.
    mutating func book(_ kind: Kind, at now: Duration) -> Duration {
        switch kind {
        case .light: lights.take(at: now)
        case .group: groups.take(at: now)
        case .other: .zero
        }
    }
}
