public import Khipu

/// What is known of a light that follows something: what was asked of it, and what a hand has taken over.
public struct FollowedLight: Equatable, Codable, Sendable, ChangeTable {
    /// Whether it was on when it was last looked at.
    private(set) var isOn: Bool
    /// Who had set it to what it showed then.
    private var cause: Cause
    /// What its bridge reported then.
    private var seen: Light.Values
    /// What was last asked of it, the newest last.
    private(set) var asked: [Ask] = []
    /// When the newest was asked that its bridge has reported since, or when it reported something else: what was asked
    /// before can only be reported late.
    private var settled: [FollowedValue: Timestamp] = [:]
    /// What is to be sent before the next step: it was turned on, or follows again.
    private(set) var due: Due?
    /// The command by which what it follows turned it on.
    private var turnOnTicket: UInt64?
    /// `true` until its bridge has answered that command: nothing that is reported before comes of it.
    private var isTurnOnUnanswered: Bool?
    /// What a hand has set, and is left alone.
    public private(set) var pauses: [FollowedValue: Pause] = [:]
    /// The same, from before it was turned off: undo turns it on as it was.
    private var former: [FollowedValue: Pause]?
    /// What a hand has asked of it while it could not be reached: it gets that when its power returns.
    private var awaited: Set<FollowedValue>?

    /// The words on disk.
    private enum CodingKeys: String, CodingKey {
        case isOn, cause, seen, asked, settled, due, turnOnTicket = "awoken", isTurnOnUnanswered, pauses, former,
            awaited
    }

    struct Ask: Equatable, Codable, Sendable {
        let ticket: UInt64
        let time: Timestamp
        let point: Curve.Point
    }

    enum Due: String, Codable, Sendable {
        /// It is to be right before anybody looks.
        case immediate = "atOnce"
        /// It goes over to what it follows.
        case faded = "gently"
    }

    public struct Pause: Equatable, Codable, Sendable {
        /// The first hand: when its command is undone, the value follows again.
        public let cause: Cause
        /// When a hand was last on it.
        public fileprivate(set) var time: Timestamp
    }

    /// A light that begins to follow something.
    init(_ light: Light) {
        isOn = light.power == .on
        cause = light.shownBecause
        seen = light.reported
        due = isOn ? .faded : nil
    }

    /// How many steps are remembered that its bridge has not reported yet: a whole sunrise of ten minutes.
    private static let mostSteps = 40
    /// For how long a step may still be reported after the next one was asked: streams hold events back. Any longer, and a hand that sets what the light has shown before would be taken for that.
    private static let longestDelay = Duration.seconds(20)

    /// It is about to be sent this.
    mutating func ask(_ point: Curve.Point, by ticket: UInt64, at now: Timestamp, isTurning: Bool) {
        asked = asked.suffix(Self.mostSteps - 1) + [Ask(ticket: ticket, time: now, point: point)]
        due = nil
        if isTurning { (turnOnTicket, isTurnOnUnanswered) = (ticket, true) }
    }

    /// Its bridge has answered the command with this ticket.
    mutating func hear(answerTo ticket: Ticket) {
        if turnOnTicket == ticket.number { isTurnOnUnanswered = nil }
    }

    /// What was last asked of a value.
    private func newest(_ value: FollowedValue) -> Double? { asked.last { $0.point[value] != nil }?.point[value] }

    /// Whether a point differs from what was last asked of the light by enough to be sent.
    func lacks(_ point: Curve.Point, as light: Light) -> Bool {
        if let wanted = point.brightness {
            guard let asked = newest(.brightness), abs(asked - wanted) < Light.Tolerance.sentBrightness else {
                return true
            }
        }
        if let wanted = point.temperature {
            guard let asked = newest(.temperature).map({ light.limits.held(Mirek(Int($0.rounded()))) }),
                abs(asked.value - light.limits.held(wanted).value) < Light.Tolerance.sentTemperature
            else { return true }
        }
        return false
    }

    /// It follows again what a hand had changed.
    mutating func resume(_ values: Set<FollowedValue> = Set(FollowedValue.allCases)) {
        pauses = pauses.filter { !values.contains($0.key) }
        if isOn { due = due ?? .faded }
    }

    /// It follows something else from now on.
    mutating func begin() {
        pauses = [:]
        if isOn { due = due ?? .faded }
    }

    /// A command with this ticket failed: what it asked was not asked, and it was no hand.
    mutating func forget(_ ticket: Ticket) {
        asked.removeAll { $0.ticket == ticket.number }
        let paused = pauses.filter { $0.value.cause.ticket == ticket }
        if !paused.isEmpty { resume(Set(paused.keys)) }
    }

    /// The clock was set.
    mutating func move(by step: ClockStep) {
        func moved(_ pause: Pause) -> Pause { Pause(cause: pause.cause, time: step.moved(pause.time)) }
        asked = asked.map { Ask(ticket: $0.ticket, time: step.moved($0.time), point: $0.point) }
        settled = settled.mapValues(step.moved)
        pauses = pauses.mapValues(moved)
        former = former?.mapValues(moved)
    }

    /// What commands of the same gesture as this one have set follows again.
    mutating func release(from ticket: Ticket) {
        let given = pauses.filter { $0.value.cause.ticket?.isOneGesture(with: ticket) ?? false }
        if !given.isEmpty { resume(Set(given.keys)) }
    }

    // MARK: - Whether it was a hand

    /// Looks at the light after something happened.
    ///
    /// - Parameters:
    ///   - followedValues: the values that follow something.
    ///   - named: those that the command that just came sets by name, with its ticket: it is a hand whatever the light
    ///     shows.
    ///   - undone: the commands that the command with this ticket has taken back.
    ///   - followedPoint: what the light would be sent now.
    /// - Returns: whether it was turned off.
    mutating func observe(
        _ light: Light, at time: Timestamp, followedValues: Set<FollowedValue>,
        named: (values: Set<FollowedValue>, by: Ticket)?,
        undone: (Ticket) -> Set<UInt64>, followedPoint: () -> Curve.Point
    ) -> Bool {
        let named = named.map {
            (values: $0.values.intersection(followedValues), cause: Cause(.command($0.by), at: $0.by.time))
        }
        guard !light.isUnavailable else {
            // Nothing can be said about it, but a command waits for its return.
            if let named {
                pause(named.values, because: named.cause)
                if !named.values.isEmpty { awaited = (awaited ?? []).union(named.values) }
            }
            if isOn { due = due ?? .faded }
            return false
        }
        let now = light.shownBecause
        // It has got it, or nobody wants it any more.
        defer {
            if awaited?.contains(where: { pauses[$0]?.cause.ticket.map { $0 == now.ticket } ?? true }) == true {
                awaited = nil
            }
        }
        // Several reports of one moment have the same cause.
        let isNew = now != cause || isJustReported(now, of: light)
        guard light.power == .on else {
            // A command that turns it off may still fail: only the bridge's word counts.
            guard light.reported.power == .off else { return false }
            defer { see(light, at: time) }
            guard isOn else { return false }
            (isOn, due, turnOnTicket, isTurnOnUnanswered, former, pauses) = (false, nil, nil, nil, pauses, [:])
            return true
        }
        let before = cause
        defer { see(light, at: time) }
        if let turnOnTicket, now.ticket?.number == turnOnTicket {
            isOn = true
            // Until its bridge has confirmed that, it shows what it was sent; a hand may have set it to something else.
            if isJustReported(light.cause, of: light) {
                // What was not carried out yet cannot be what is reported, even if it is the same.
                let isElsewhere = isTurnOnUnanswered == true && light.cause.kind.isOfPerson
                pause(
                    followedValues.filter { isElsewhere || isForeign($0, in: light.reported, of: light, at: time) },
                    because: light.cause)
            }
            return false
        }
        // A lamp that was only out of reach shows what it showed, or what was sent to it since.
        let wasWithoutPower =
            isNew && now.kind == .power
            && followedValues.contains { isForeign($0, in: light.reported, of: light, at: time) }
        if !isOn || wasWithoutPower {
            let hands = hands(
                turningOn: light, at: time, followedValues, before, named?.values ?? [], undone, followedPoint)
            let waiting = pauses.filter { value, pause in
                pause.cause.ticket.map { $0 == now.ticket } ?? false || awaited?.contains(value) ?? false
            }
            (isOn, due, former) = (true, .immediate, nil)
            pauses = waiting.merging(hands) { first, _ in first }
            return false
        }
        if let named { pause(named.values, because: named.cause) }
        guard isNew else { return false }
        switch now.kind {
        case let .command(ticket):
            let taken = undone(ticket)
            let given = pauses.filter { $0.value.cause.ticket.map { taken.contains($0.number) } ?? false }
            if given.isEmpty {
                pause(followedValues.filter { isForeign($0, in: light.values, of: light, at: time) }, because: now)
            } else {
                resume(Set(given.keys))
            }
        case .scene:
            pause(
                followedValues.filter { now != before || isForeign($0, in: light.reported, of: light, at: time) },
                because: now)
        case .power: break
        case .accessory:
            // Somebody has just turned it: nothing of what was asked earlier is reported late.
            pause(
                followedValues.filter { isForeign($0, in: light.reported, of: light, at: time, mayBeLate: false) },
                because: now)
        case .otherApp:
            pause(followedValues.filter { isForeign($0, in: light.reported, of: light, at: time) }, because: now)
        case .unseen:
            pause(
                followedValues.filter {
                    isForeign($0, in: light.reported, of: light, at: time, unlike: followedPoint())
                },
                because: now)
        }
        return false
    }

    /// Whether the newest report of the light was caused by this, and by no command.
    private func isJustReported(_ cause: Cause, of light: Light) -> Bool {
        cause.ticket == nil && light.heard == cause.time && light.reported != seen
    }

    /// What was set by a hand when the light was turned on: everything else is to be right at once.
    private func hands(
        turningOn light: Light, at time: Timestamp, _ followedValues: Set<FollowedValue>, _ before: Cause,
        _ named: Set<FollowedValue>,
        _ undone: (Ticket) -> Set<UInt64>, _ followedPoint: () -> Curve.Point
    ) -> [FollowedValue: Pause] {
        let now = light.shownBecause
        let values: Set<FollowedValue>
        switch now.kind {
        case let .command(ticket):
            // As it was before it was turned off.
            if let off = before.ticket, undone(ticket).contains(off.number) { return former ?? [:] }
            values = named
        case .scene: values = followedValues
        case .accessory, .power: values = []
        case .otherApp: values = followedValues.filter { isForeign($0, in: light.reported, of: light, at: time) }
        case .unseen:
            values = followedValues.filter {
                isForeign($0, in: light.reported, of: light, at: time, unlike: followedPoint())
            }
        }
        return Dictionary(values.map { ($0, Pause(cause: now, time: now.time)) }) { $1 }
    }

    private mutating func pause(_ values: Set<FollowedValue>, because cause: Cause) {
        for value in values { pauses[value, default: Pause(cause: cause, time: cause.time)].time = cause.time }
    }

    /// Whether a value of a light has changed, and to something that was not asked of it lately, within the precision in
    /// which bridges report and the limits of the lamp.
    ///
    /// - Parameter followedPoint: what the light would be sent now, if nobody saw the change: while lightd was not looking,
    ///   it may have asked what it does not remember, and a hand that sets nearly the same leaves nothing to be
    ///   overruled.
    /// - Parameter mayBeLate: whether it may be the report of something that was asked before the newest.
    private func isForeign(
        _ value: FollowedValue, in shown: Light.Values, of light: Light, at time: Timestamp,
        unlike followedPoint: Curve.Point? = nil, mayBeLate: Bool = true
    ) -> Bool {
        let isShown = { light.isShowing(value, as: $0, in: shown, isSeen: followedPoint == nil) }
        return shown.differ(from: seen, in: value)
            && !(mayBeLate ? expected(value, at: time) : newest(value).map { [$0] } ?? []).contains(where: isShown)
            && (followedPoint?[value]).map(isShown) != true
    }

    /// What was asked of a value and may be reported yet.
    private func expected(_ value: FollowedValue, at time: Timestamp) -> [Double] {
        let asks = asked.filter { $0.point[value] != nil }
        let replaced = asks.dropFirst().map(\.time) + [time]
        return zip(asks, replaced).compactMap { ask, replaced in
            let isSettled = settled[value].map { ask.time < $0 } ?? false
            return !isSettled || time.since(replaced) < Self.longestDelay ? ask.point[value] : nil
        }
    }

    private mutating func see(_ light: Light, at time: Timestamp) {
        for value in FollowedValue.allCases where light.reported.differ(from: seen, in: value) {
            let ask = asked.last {
                $0.point[value].map { light.isShowing(value, as: $0, in: light.reported, isSeen: true) } ?? false
            }
            settled[value] = [ask?.time ?? time, settled[value]].compactMap(\.self).max()
        }
        (cause, seen) = (light.shownBecause, light.reported)
    }
}

extension Light.Values {
    /// Whether the eye can tell the two by one value.
    fileprivate func differ(from other: Self, in value: FollowedValue) -> Bool {
        switch value {
        case .brightness: !Self.brightnessAgrees(brightness, other.brightness)
        case .temperature:
            !with(brightness: 1).with(power: .on).agrees(with: other.with(brightness: 1).with(power: .on))
        }
    }
}

extension Light {
    /// Whether it shows this with these values, or as nearly as it can.
    ///
    /// - Parameter isSeen: whether it is known what was asked of it; otherwise what comes near to it is the same.
    fileprivate func isShowing(
        _ value: FollowedValue, as asked: Double, in shown: Values, isSeen: Bool
    ) -> Bool {
        switch value {
        case .brightness:
            // Below its lowest level a lamp shows its lowest level.
            let lowest = max((limits.minimumDimLevel ?? 0) / 100, Self.lowestLevel)
            let held = asked <= lowest && shown.brightness <= lowest ? shown.brightness : max(asked, lowest)
            return Values.brightnessAgrees(shown.brightness, asked) || Values.brightnessAgrees(shown.brightness, held)
                || !isSeen && abs(shown.brightness - asked) <= Tolerance.unseenBrightness
        case .temperature:
            guard let white = shown.white else { return false }
            let held = limits.held(Mirek(Int(asked.rounded())))
            return Values.temperatureAgrees(white, held)
                || !isSeen && abs(white.value - held.value) <= Tolerance.unseenTemperature
        }
    }
}
