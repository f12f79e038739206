public import Khipu

/// A lamp as we show it. Values that were sent and are not confirmed yet are shown at once. Beside them the light keeps
/// what its bridge last reported, to show it again if a command fails or is never confirmed.
public struct Light: Identifiable, Equatable, Sendable, ChangeTable {
    public typealias ID = QualifiedID<Light>

    public let id: ID
    public private(set) var name: String
    /// What is shown: reported by the bridge, or expected if ``freshness`` says so.
    public private(set) var values: Values
    public private(set) var known: Knowledge
    /// How a person wants to see its controls.
    public private(set) var display: LevelControl
    /// What it can do besides on and off. A plug has no modes.
    public private(set) var modes: Set<Mode>
    public private(set) var limits: Limits
    public private(set) var configuration: LightConfiguration
    /// Its place among lamps whose ratios are kept; `nil` if none are, or it has been changed otherwise since.
    public private(set) var ratio: Ratio?
    /// What it tells by blinking, beside its values; `nil` if nothing. Not stored: it is over soon.
    @Boxed public private(set) var signal: RunningSignal?

    /// What the bridge last reported.
    public var reported: Values { known.reported }
    public var freshness: Freshness { known.freshness }
    /// When the bridge last reported anything about this light.
    public var heard: Timestamp { known.heard }
    /// Who or what set it to what it shows.
    public var cause: Cause { known.cause }
    /// 0…1; the lowest level is not off.
    public var brightness: Double { values.brightness }
    /// 0…1 around the colour circle: red, green at 1/3, blue at 2/3, red.
    public var hue: Double { values.hue }
    /// 0…1 from white to the full colour.
    public var saturation: Double { values.saturation }
    public var temperature: Mirek { values.temperature }
    public var power: Turn { values.power }
    /// The mode that the lamp shows now.
    public var selectedMode: Mode { values.mode }

    public enum Mode: String, Codable, Sendable, CaseIterable {
        case unset, hsb, ct
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming (Renaming ); public enum Renaming : Equatable, Sendable { case it(to: String) }
        case turning  (Turning  ); public enum Turning  : Equatable, Sendable { case it(Turn) }
        case adding   (Adding   ); public enum Adding   : Equatable, Sendable { case mode(Mode) }
        case toggling (Toggling ); public enum Toggling : Equatable, Sendable { case display(to: LevelControl) }
        case limiting (Limiting ); public enum Limiting : Equatable, Sendable { case it(to: Limits) }
        case configuring(Configuring); public enum Configuring: Equatable, Sendable { case it(as: LightConfiguration) }
        case setting  (Setting  ); public enum Setting  : Equatable, Sendable {
            case hue        (to: Double)
            case saturation (to: Double)
            case brightness (to: Double)
            case temperature(to: Mirek)
            case gradient   (to: Gradient)
            /// `nil` ends it.
            case effect     (to: Effect?)
        }
        /// The values set before this are expected: sent by this command, and not confirmed by the bridge yet. `after` is
        /// what was shown until then.
        case expecting(Expecting); public enum Expecting: Equatable, Sendable {
            case it(by: Ticket, after: Values? = nil)
        }
        /// The bridge reported this, at this time.
        case reporting(Reporting); public enum Reporting: Equatable, Sendable { case it(Report, at: Timestamp) }
        /// What this command expected is given up: what the bridge last reported is shown again. If that is not known
        /// (`unheard`), the lamp may still turn out to show it.
        case abandoning(Abandoning); public enum Abandoning: Equatable, Sendable { case expectation(of: Ticket, unheard: Bool = false) }
        /// The cause is known better than the bridge reports it.
        case causing  (Causing  ); public enum Causing  : Equatable, Sendable { case it(Cause) }
        /// The bridge reported that it blinks, or no longer does.
        case signaling(Signaling); public enum Signaling: Equatable, Sendable { case it(RunningSignal?) }
        /// A command has set its level to keep its ratio to other lamps.
        case balancing(Balancing); public enum Balancing: Equatable, Sendable { case it(Ratio) }
        /// The connection to the bridge is lost: nothing is known since this time.
        case losing   (Losing   ); public enum Losing   : Equatable, Sendable { case contact(at: Timestamp) }
    }

    public init(
        id: ID,
        name: String,
        values: Values = Values(),
        display: LevelControl = .slider,
        modes: Set<Mode> = [],
        limits: Limits = Limits(),
        configuration: LightConfiguration = LightConfiguration(),
        signal: RunningSignal? = nil,
        freshness: Freshness? = nil,
        heard: Timestamp
    ) {
        self.id = id
        self.name = name
        self.values = values
        known = Knowledge(
            values, freshness ?? .confirmed(at: heard), heard: heard, Cause(.unseen, at: heard))
        self.display = display
        self.modes = modes
        self.limits = limits
        self.configuration = configuration
        self.signal = signal
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self {
        changes.reduce(self) { $0.altered(by: $1) }.with { $0.ratio = $0.keptRatio }
    }

    // One row, one axiom: what a change names changes, everything else is carried over.
    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming  (.it         (to: n)): with { $0.name = n }
        case let .turning   (.it         (    p)): with { $0.values = values.with(power: p) }
        case let .adding    (.mode       (    m)): with { $0.modes.insert(m) }
        case let .toggling  (.display    (to: d)): with { $0.display = d }
        case let .limiting  (.it         (to: l)): with { $0.limits = l }
        case let .configuring(.it        (as: c)): with { $0.configuration = c }
        case let .setting   (.hue        (to: h)): with { $0.values = values.with(hue: h) }
        case let .setting   (.saturation (to: s)): with { $0.values = values.with(saturation: s) }
        case let .setting   (.brightness (to: b)): with { $0.values = values.with(brightness: b); $0.ratio = nil }
        case let .setting   (.temperature(to: t)): with { $0.values = values.with(temperature: limits.held(t)) }
        case let .setting   (.gradient   (to: g)): with { $0.values = values.with(gradient: g) }
        case let .setting   (.effect     (to: e)): with { $0.values = values.with(effect: e) }
        case let .causing   (.it         (    c)): with { $0.known = known.with(c); $0.ratio = nil }
        case let .expecting (.it (by: t, after: v)): expecting(by: t, after: v)
        case let .signaling (.it         (    s)): with { $0.signal = s }
        case let .balancing (.it         (    r)): with { $0.ratio = r }
        case let .reporting (.it    (r   ,at: _)) where r.isOnlyOfKept: with { $0.known = known.with(kept: kept(after: r, freshness)) }
        case let .reporting (.it    (r   ,at: t)): resumed(by: r).reported(r, at: t)
        case let .abandoning(.expectation(of: t, unheard: u)): abandoned(expectationOf: t, unheard: u)
        case let .losing    (.contact    (at: t)): lost(at: t)
        }
    }

    /// Values that agree with the last report need no confirmation: the report is shown, on the bridge's own scale. But
    /// not while another command's values are expected, because then the lamp is about to change. A lamp out of reach,
    /// or whose bridge is lost, stays marked as that, and nothing but its return confirms the command.
    private func expecting(by ticket: Ticket, after before: Values?) -> Self {
        if isUnavailable {
            return with { $0.known = known.with(pending: Knowledge.Pending(ticket: ticket, values: values)) }
        }
        if case .confirmed = freshness, values.agrees(with: reported), reported.names(effectOf: values) {
            return showing(reported, freshness)
        }
        // What keeps up an earlier command is confirmed with it.
        let earlier = ticket.isFollowUpStep ? awaited.flatMap { $0.isFollowUpStep ? nil : $0 } : nil
        let light = showing(values, .expected(by: earlier ?? ticket))
        // A command that is sent again still supersedes the one before it.
        guard case .expected = freshness, let before, !before.agrees(with: values) else { return light }
        return light.with { $0.known = light.known.with(superseded: before) }
    }

    /// The command whose values it still has to confirm.
    var awaited: Ticket? {
        switch freshness {
        case let .expected(by: ticket): ticket
        case .unreachable, .stale: known.pending.flatMap { $0.isGivenUp == true ? nil : $0.ticket }
        case .confirmed: nil
        }
    }

    /// What it is to show once it is back, if it cannot show that now; otherwise what it shows.
    public var wanted: Values { known.pending?.values ?? values }

    var isUnreachable: Bool { if case .unreachable = freshness { true } else { false } }

    /// Whether nothing can be learnt about it now.
    var isUnavailable: Bool {
        switch freshness {
        case .unreachable, .stale: true
        case .confirmed, .expected: false
        }
    }

    /// What the bridge last reported is shown. A command that it has not confirmed yet may still reach the lamp.
    private func lost(at time: Timestamp) -> Self {
        showing(reported, isUnavailable ? freshness : .stale(since: time)).with {
            $0.known = $0.known.with(pending: unconfirmed(values))
            $0.signal = nil
        }
    }

    /// The light as it is remembered over a restart: without what changes with every report that says nothing new.
    public var remembered: Self {
        let lost = lost(at: cause.time)
        let known = Knowledge(reported, .stale(since: cause.time), heard: cause.time, cause)
        return lost.with { $0.known = known.with(pending: lost.known.pending) }
    }

    /// What must still be confirmed if it can no longer be: the values shown now, if they are expected, or else those
    /// that were pending already.
    private func unconfirmed(_ shown: Values) -> Knowledge.Pending? {
        guard case let .expected(by: ticket) = freshness else { return known.pending }
        return Knowledge.Pending(ticket: ticket, values: shown)
    }

    /// If this report shows that the lamp is back, it is expected to show what it could not confirm before.
    private func resumed(by report: Report) -> Self {
        let isBack =
            switch freshness {
            case .unreachable: report.reachable == true
            case .stale: report.reachable != false
            case .confirmed, .expected: false
            }
        guard isBack, let pending = known.pending else { return self }
        guard pending.isGivenUp != true || reported.applying(report.values).agrees(with: pending.values) else {
            return with { $0.known = known.with(pending: nil) }
        }
        return with {
            $0.values = pending.values
            $0.known = known.with(.expected(by: pending.ticket)).with(pending: nil)
        }
    }

    /// A report is the truth about the values it names. If it differs from an expected value, the expected value goes
    /// on being shown until it is confirmed or given up, so that a slider does not jump back.
    private func reported(_ report: Report, at time: Timestamp) -> Self {
        let truth = reported.applying(report.values)
        let shown: Values
        if case let .expected(by: ticket) = freshness, !report.replaces(ticket) {
            shown = values.confirmed(from: reported, to: truth, insteadOf: known.superseded)
        } else {
            shown = truth
        }
        let freshness = freshness(showing: shown, truth, report, at: time)
        // A lamp that is found to be out of reach must still confirm what was expected of it.
        let pending = if case .unreachable = freshness { unconfirmed(shown) } else { known.pending }
        return with {
            $0.values = shown
            $0.known = Knowledge(truth, freshness, heard: time, cause(of: truth, freshness, report, at: time))
                .with(pending: pending).with(superseded: known.superseded).with(freshness)
                .with(kept: kept(after: report, freshness))
            $0.configuration = configuration.merged(with: report.configuration)
            if case .unreachable = freshness { $0.signal = nil }
        }
    }

    /// For a lamp that is in reach nothing is kept.
    private func kept(after report: Report, _ now: Freshness) -> LightPatch? {
        guard case .unreachable = now else { return nil }
        guard let kept = report.kept else { return known.kept }
        return kept.values
    }

    /// The command whose expected values the report confirms; otherwise, if the report changes anything, its own
    /// source. What only keeps up an earlier command is no cause of its own.
    private func cause(of truth: Values, _ now: Freshness, _ report: Report, at time: Timestamp) -> Cause {
        let isSame = truth.agrees(with: reported)
        if case let .expected(by: ticket) = freshness, case .confirmed = now {
            if report.replaces(ticket), !values.agrees(with: truth) {
                return ticket.isFollowUpStep && isSame ? cause : Cause(report.source ?? .otherApp, at: time)
            }
            return ticket.isFollowUpStep ? cause : Cause(.command(ticket), at: ticket.time)
        }
        // A report that seemed to confirm a command, and is known by now to be somebody's.
        if let source = report.source, source.ticket == nil, let ticket = cause.ticket, report.replaces(ticket) {
            return Cause(source, at: time)
        }
        return isSame || report.source?.ticket?.isFollowUpStep == true
            ? cause : Cause(report.source ?? .otherApp, at: time)
    }

    private func freshness(showing shown: Values, _ truth: Values, _ report: Report, at time: Timestamp) -> Freshness {
        switch (report.reachable, freshness) {
        case (false?, .unreachable), (nil, .unreachable): freshness
        case (false?, _): .unreachable(since: time)
        case (_, .expected): shown.agrees(with: truth) ? .confirmed(at: time) : freshness
        default: .confirmed(at: time)
        }
    }

    private func abandoned(expectationOf ticket: Ticket, unheard: Bool) -> Self {
        if freshness == .expected(by: ticket) { return showing(reported, .confirmed(at: heard)) }
        guard let pending = known.pending, pending.ticket == ticket else { return self }
        return showing(reported, freshness).with {
            $0.known = $0.known.with(pending: unheard ? pending.givenUp : nil)
        }
    }

    private func showing(_ shown: Values, _ freshness: Freshness) -> Self {
        with {
            $0.values = shown
            $0.known = known.with(freshness)
        }
    }
}

// As databases, backups and journals have it: its configuration beside the rest.
extension Light: Codable {
    private enum CodingKeys: String, CodingKey { case id, name, values, known, display, modes, limits, ratio }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        values = try container.decode(Values.self, forKey: .values)
        known = try container.decode(Knowledge.self, forKey: .known)
        display = try container.decode(LevelControl.self, forKey: .display)
        modes = try container.decode(Set<Mode>.self, forKey: .modes)
        limits = try container.decode(Limits.self, forKey: .limits)
        ratio = try container.decodeIfPresent(Ratio.self, forKey: .ratio)
        configuration = try LightConfiguration(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(values, forKey: .values)
        try container.encode(known, forKey: .known)
        try container.encode(display, forKey: .display)
        try container.encode(modes, forKey: .modes)
        try container.encode(limits, forKey: .limits)
        try container.encodeIfPresent(ratio, forKey: .ratio)
        try configuration.encode(to: encoder)
    }
}

extension Light {
    /// What its bridge reported about a lamp, and how far it can be trusted.
    public struct Knowledge: Equatable, Codable, Sendable, ChangeTable {
        /// What the bridge last reported.
        public let reported: Values
        public private(set) var freshness: Freshness
        /// When the bridge last reported anything about this light.
        public let heard: Timestamp
        /// Who or what set the lamp to what it shows.
        public private(set) var cause: Cause
        /// The newest command that could not be confirmed because the lamp was out of reach or its bridge lost. Its
        /// values are expected as soon as the lamp is back.
        @Boxed public private(set) var pending: Pending?
        /// What will be sent to the lamp, which is out of reach, as soon as it is back, even if the bridge has refused it;
        /// `nil` if nothing. The gateway says so, and forgets it in a restart.
        @Boxed public private(set) var kept: LightPatch?

        /// What was shown before the newest command, if that was not confirmed either: its report may still come.
        @Boxed private(set) var superseded: Values?

        public struct Pending: Equatable, Codable, Sendable {
            public let ticket: Ticket
            public let values: Values
            /// Nothing of it is on its way any more: the lamp shows it when it is back, or never will.
            private(set) var isGivenUp: Bool?

            public init(ticket: Ticket, values: Values) { (self.ticket, self.values) = (ticket, values) }

            var givenUp: Self {
                var pending = self
                pending.isGivenUp = true
                return pending
            }
        }

        public init(_ reported: Values, _ freshness: Freshness, heard: Timestamp, _ cause: Cause) {
            self.reported = reported
            self.freshness = freshness
            self.heard = heard
            self.cause = cause
        }

        func with(_ freshness: Freshness) -> Self {
            with {
                $0.freshness = freshness
                if case .expected = freshness { return }
                $0.superseded = nil
            }
        }
        func with(_ cause: Cause) -> Self { with { $0.cause = cause } }
        func with(pending: Pending?) -> Self { with { $0.pending = pending } }
        func with(superseded: Values?) -> Self { with { $0.superseded = superseded } }
        func with(kept: LightPatch?) -> Self { with { $0.kept = kept } }
    }
}

/// How far the shown values of a light can be trusted.
public enum Freshness: Hashable, Codable, Sendable {
    /// Reported by the bridge at this time.
    case confirmed(at: Timestamp)
    /// Sent by the command with this ticket, and not confirmed by the bridge yet.
    case expected(by: Ticket)
    /// The bridge is not connected: this is what it last reported, and may have been wrong since this time.
    case stale(since: Timestamp)
    /// The bridge does not reach the lamp: switched off at the wall, or out of range.
    case unreachable(since: Timestamp)

    /// How long values stay expected if nothing confirms them. A bridge reports a command within about a second, and a
    /// fade when it begins. If it does not, the lamp is read, and the command sent once more, which takes longer on a
    /// busy bridge.
    public static let confirmationTimeout = Duration.seconds(8)
    /// For how long after its fade a report may belong to a command: a little longer, so that none is taken for a hand's
    /// while the command is still expected.
    public static let attributionTimeout = confirmationTimeout + .seconds(1)
}

extension Light {
    /// What a light showed at one moment, or was about to show, and who set it to that.
    public struct Snapshot: Hashable, Codable, Sendable {
        public let values: Values
        public let cause: Cause
    }

    /// What it shows. If values wait for its return, and nothing else has changed it since they were sent: those.
    var snapshot: Snapshot {
        guard isUnavailable, let pending = known.pending, cause.ticket != nil || cause.time <= pending.ticket.time
        else {
            return Snapshot(values: values, cause: shownBecause)
        }
        return Snapshot(values: pending.values, cause: Cause(.command(pending.ticket), at: pending.ticket.time))
    }

    /// Why it shows what it shows: until a value is confirmed, because of the command that asked for it.
    public var shownBecause: Cause {
        guard case let .expected(by: ticket) = freshness, !ticket.isFollowUpStep else { return cause }
        return Cause(.command(ticket), at: ticket.time)
    }
}
