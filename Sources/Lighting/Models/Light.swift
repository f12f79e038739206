public import Khipu

/// A lamp as we show it. Values that were sent but not yet confirmed are shown at once; beside them the light keeps what its
/// bridge last reported, so that a command that failed, or was never confirmed, leaves the truth behind and not a wish.
public struct Light: Identifiable, Equatable, Codable, Sendable {
    public typealias ID = QualifiedID<Light>

    public let id: ID
    public let name: String
    /// What is shown: reported by the bridge, or expected where ``freshness`` says so.
    public let values: Values
    public let known: Knowledge
    /// How a person wants to see its controls.
    public let display: Interface
    /// What it can beyond on and off. A plug has none.
    public let modes: Set<Mode>
    public let limits: Limits
    /// What it does when its mains come back; `nil` where its bridge does not tell.
    public let powerup: Powerup?

    /// What the bridge last said.
    public var reported: Values { known.reported }
    public var freshness: Freshness { known.freshness }
    /// When the bridge last said anything of this light.
    public var heard: Timestamp { known.heard }
    /// Why it shows what it does.
    public var cause: Cause { known.cause }
    /// 0…1; the lowest level is not off.
    public var brightness: Double { values.brightness }
    /// 0…1 around the colour circle: red, green at 1/3, blue at 2/3, red.
    public var hue: Double { values.hue }
    /// 0…1 from white to the full colour.
    public var saturation: Double { values.saturation }
    public var temperature: Mirek { values.temperature }
    public var power: Turn { values.power }
    /// Which of its modes the lamp shows now.
    public var selectedMode: Mode { values.mode }

    public enum Mode: String, Codable, Sendable, CaseIterable {
        case unset, hsb, ct
    }

    /// How a light's controls are shown: a slider to drag, or a value to scrub over.
    public enum Interface: String, Codable, Sendable, CaseIterable {
        case slider, scrubbing
    }

    /// A dimension of light that can go up and down in steps.
    public enum Value: String, Codable, Sendable, CaseIterable {
        case hue, saturation, brightness, temperature
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming (Renaming ); public enum Renaming : Equatable, Sendable { case it(to: String) }
        case turning  (Turning  ); public enum Turning  : Equatable, Sendable { case it(Turn) }
        case adding   (Adding   ); public enum Adding   : Equatable, Sendable { case mode(Mode) }
        case toggling (Toggling ); public enum Toggling : Equatable, Sendable { case display(to: Interface) }
        case limiting (Limiting ); public enum Limiting : Equatable, Sendable { case it(to: Limits) }
        case powering (Powering ); public enum Powering : Equatable, Sendable { case up(as: Powerup?) }
        case setting  (Setting  ); public enum Setting  : Equatable, Sendable {
            case hue        (to: Double)
            case saturation (to: Double)
            case brightness (to: Double)
            case temperature(to: Mirek)
        }
        /// What was set is a wish sent by this command, until the bridge confirms it.
        case expecting(Expecting); public enum Expecting: Equatable, Sendable { case it(by: Ticket) }
        /// What the bridge told, at a time.
        case reporting(Reporting); public enum Reporting: Equatable, Sendable { case it(Report, at: Timestamp) }
        /// The wish of this command is given up; what the bridge last reported is shown again.
        case abandoning(Abandoning); public enum Abandoning: Equatable, Sendable { case expectation(of: Ticket) }
        /// Why it shows what it does is known better than the bridge could tell.
        case causing  (Causing  ); public enum Causing  : Equatable, Sendable { case it(Cause) }
        /// The bridge is lost: nothing is known since then.
        case losing   (Losing   ); public enum Losing   : Equatable, Sendable { case contact(at: Timestamp) }
    }

    public init(
        id: ID,
        name: String,
        values: Values = Values(),
        display: Interface = .slider,
        modes: Set<Mode> = [],
        limits: Limits = Limits(),
        powerup: Powerup? = nil,
        freshness: Freshness? = nil,
        heard: Timestamp
    ) {
        let known = Knowledge(
            values, freshness ?? .confirmed(at: heard), heard: heard, Cause(.unseen, at: heard))
        self.init(id, name, values, known, display, modes, limits, powerup)
    }

    private init(
        _ id: ID, _ name: String, _ values: Values, _ known: Knowledge, _ display: Interface,
        _ modes: Set<Mode>, _ limits: Limits, _ powerup: Powerup?
    ) {
        self.id = id
        self.name = name
        self.values = values
        self.known = known
        self.display = display
        self.modes = modes
        self.limits = limits
        self.powerup = powerup
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // One row, one axiom: what a change names changes, everything else is carried over.
    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming  (.it         (to: n)): Self(id, n   , values                                   , known        , display, modes           , limits, powerup)
        case let .turning   (.it         (    p)): Self(id, name, values.with(power: p)                    , known        , display, modes           , limits, powerup)
        case let .adding    (.mode       (    m)): Self(id, name, values                                   , known        , display, modes.union([m]), limits, powerup)
        case let .toggling  (.display    (to: d)): Self(id, name, values                                   , known        , d      , modes           , limits, powerup)
        case let .limiting  (.it         (to: l)): Self(id, name, values                                   , known        , display, modes           , l     , powerup)
        case let .powering  (.up         (as: p)): Self(id, name, values                                   , known        , display, modes           , limits, p      )
        case let .setting   (.hue        (to: h)): Self(id, name, values.with(hue: h)                      , known        , display, modes           , limits, powerup)
        case let .setting   (.saturation (to: s)): Self(id, name, values.with(saturation: s)               , known        , display, modes           , limits, powerup)
        case let .setting   (.brightness (to: b)): Self(id, name, values.with(brightness: b)               , known        , display, modes           , limits, powerup)
        case let .setting   (.temperature(to: t)): Self(id, name, values.with(temperature: limits.held(t)) , known        , display, modes           , limits, powerup)
        case let .causing   (.it         (    c)): Self(id, name, values                                   , known.with(c), display, modes           , limits, powerup)
        case let .expecting (.it         (by: t)): expecting(by: t)
        case let .reporting (.it    (r   ,at: t)): told(r, at: t)
        case let .abandoning(.expectation(of: t)): giveUp(wishOf: t)
        case let .losing    (.contact    (at: t)): showing(reported, isUnreachable ? freshness : .stale(since: t))
        }
    }

    /// A wish is only a wish where it differs from what the bridge has already reported: where it agrees, the report is shown, on
    /// the bridge's own grid; but not while another wish is under way, for then the lamp is on its way elsewhere. A lamp that the bridge does not reach, or whose bridge is lost, stays marked so.
    private func expecting(by ticket: Ticket) -> Self {
        if isDark { return self }
        if case .confirmed = freshness, values.agrees(with: reported) { return showing(reported, freshness) }
        return showing(values, .expected(by: ticket))
    }

    private var isUnreachable: Bool { if case .unreachable = freshness { true } else { false } }

    /// Whether nothing can be heard of it just now.
    var isDark: Bool {
        switch freshness {
        case .unreachable, .stale: true
        case .confirmed, .expected: false
        }
    }

    /// A report is the truth about what it names. Where a wish for the same value is still under way and the report says
    /// something else, the wish goes on being shown until it is confirmed or given up: a slider does not jump back.
    private func told(_ report: Report, at time: Timestamp) -> Self {
        let truth = reported.merging(report)
        let shown: Values
        if case .expected = freshness, report.overrules != true {
            shown = values.confirmed(from: reported, to: truth)
        } else {
            shown = truth
        }
        let freshness = freshness(showing: shown, truth, report, at: time)
        let known = Knowledge(truth, freshness, heard: time, cause(of: truth, freshness, report, at: time))
        return Self(id, name, shown, known, display, modes, limits, report.powerup ?? powerup)
    }

    /// Whose doing the truth is: that of the command whose wish it fulfils, or of whomever the report names where it is news.
    private func cause(of truth: Values, _ now: Freshness, _ report: Report, at time: Timestamp) -> Cause {
        if case let .expected(by: ticket) = freshness, case .confirmed = now {
            return report.overrules == true && !values.agrees(with: truth)
                ? Cause(report.source ?? .elsewhere, at: time) : Cause(.command(ticket), at: ticket.time)
        }
        return truth.agrees(with: reported) ? cause : Cause(report.source ?? .elsewhere, at: time)
    }

    private func freshness(showing shown: Values, _ truth: Values, _ report: Report, at time: Timestamp) -> Freshness {
        switch (report.reachable, freshness) {
        case (false?, .unreachable), (nil, .unreachable): freshness
        case (false?, _): .unreachable(since: time)
        case (_, .expected): shown.agrees(with: truth) ? .confirmed(at: time) : freshness
        default: .confirmed(at: time)
        }
    }

    private func giveUp(wishOf ticket: Ticket) -> Self {
        guard freshness == .expected(by: ticket) else {
            return isDark ? showing(reported, freshness) : self
        }
        return showing(reported, .confirmed(at: heard))
    }

    private func showing(_ shown: Values, _ freshness: Freshness) -> Self {
        Self(id, name, shown, known.with(freshness), display, modes, limits, powerup)
    }
}
