import HueWire

// What is asked of a light is the person's: it is held to the light's gamut and range when it is sent, so that equal values
// for different lights stay equal until then. Of a white and a colour the newer wins. What a light keeps (`powerup`) is no
// part of the queue.

extension LightUpdate {
    /// The same values without a fade, and without a timed effect: a scene stores neither.
    var ofScene: Self {
        var color = color
        if case let .effect(effect, over: base)? = color, effect.form == .timed { color = base }
        return Self(on: on, brightness: brightness, color: color, milliseconds: nil)
    }

    func without(_ attributes: PendingState.Attributes) -> Self {
        Self(
            on: attributes.contains(.on) ? nil : on, brightness: attributes.contains(.brightness) ? nil : brightness,
            color: attributes.contains(.color) ? nil : color, milliseconds: milliseconds)
    }
}

extension LightUpdate.Color {
    /// A group has neither effects nor gradients.
    var isForGroups: Bool {
        switch self {
        case .xy, .mirek: true
        case .gradient, .effect: false
        }
    }

    /// What an effect runs over, or the colour itself.
    var base: Self? { if case let .effect(_, over: base) = self { base } else { self } }

    /// One in place of an earlier one and this.
    func over(_ earlier: Self?) -> Self {
        switch (self, earlier?.base) {
        case let (.effect(effect, over: nil), below?):
            effect.name == LightUpdate.Effect.none ? below : .effect(effect, over: below)
        case let (.effect(effect, over: base?), below): .effect(effect, over: base.over(below))
        case let (.gradient(points, mode: nil), .gradient(_, mode: mode)): .gradient(points, mode: mode)
        default: self
        }
    }

    /// What of it a newer one leaves as it is.
    func remaining(after newer: Self) -> Self? {
        switch newer.base {
        case nil: base
        case .gradient(_, mode: nil)?: if case .gradient? = base { base } else { nil }
        default: nil
        }
    }
}

/// A value asked for one attribute, and by which command.
struct PendingValue<Value: Hashable & Sendable>: Equatable, Sendable {
    var value: Value
    /// The command's transition.
    let milliseconds: Int?
    /// The number of the ask: a higher one is newer.
    let number: UInt64
    var origin: PendingOrigin

    var token: UInt64 { origin.token }

    /// How often it was sent and not delivered.
    var returns: Int {
        get { origin.returns }
        set { origin.returns = newValue }
    }
}

/// Who asked for a value, when, and how often it was sent in vain.
struct PendingOrigin: Equatable, Sendable {
    let token: UInt64
    let asked: Duration
    var returns = 0
}

/// The newest value of each attribute that waits to be sent to one light.
struct PendingState: Equatable, Sendable {
    struct Attributes: OptionSet, Sendable {
        let rawValue: UInt8

        static let on = Self(rawValue: 1)
        static let brightness = Self(rawValue: 2)
        static let color = Self(rawValue: 4)
        static let values: Self = [.brightness, .color]
        static let all: Self = [.on, .values]
    }

    private(set) var on: PendingValue<Bool>?
    private(set) var brightness: PendingValue<Double>?
    private(set) var color: PendingValue<LightUpdate.Color>?
    /// Its place in the queue: the number of the ask that began it. Newer values keep that place, so a slider that
    /// never rests is not always last.
    private(set) var first: UInt64

    init(_ update: LightUpdate, by token: UInt64, number: UInt64, at now: Duration) {
        func pending<Value>(_ value: Value) -> PendingValue<Value> {
            PendingValue(
                value: value, milliseconds: update.milliseconds, number: number,
                origin: PendingOrigin(token: token, asked: now))
        }
        on = update.on.map(pending)
        brightness = update.brightness.map(pending)
        color = update.color.map(pending)
        first = number
    }

    var attributes: Attributes {
        var named: Attributes = []
        if on != nil { named.insert(.on) }
        if brightness != nil { named.insert(.brightness) }
        if color != nil { named.insert(.color) }
        return named
    }

    /// What may be sent first. Values asked for before an off go before it: afterwards the light would not take them.
    var front: Attributes { on?.value == false && hasValues ? attributes.intersection(.values) : attributes }

    var hasValues: Bool { brightness != nil || color != nil }

    /// One token for each attribute.
    var tokens: [UInt64] { [on?.token, brightness?.token, color?.token].compactMap(\.self) }

    var returns: Int { max(on?.returns ?? 0, brightness?.returns ?? 0, color?.returns ?? 0) }

    /// The attributes for which both have the same value.
    func shared(with other: Self) -> Attributes {
        var shared: Attributes = []
        if let on, on.value == other.on?.value { shared.insert(.on) }
        if let brightness, brightness.value == other.brightness?.value { shared.insert(.brightness) }
        if let color, color.value.isForGroups, color.value == other.color?.value { shared.insert(.color) }
        return shared
    }

    /// These attributes as they are sent, with the transition of the newest of them. Values that go before an off go at
    /// once: a fade that the off ends would leave the light where it had got to.
    func update(_ attributes: Attributes) -> LightUpdate {
        var update = LightUpdate()
        var newest: UInt64?
        func take<Value>(_ pending: PendingValue<Value>?, _ attribute: Attributes) -> Value? {
            guard let pending, attributes.contains(attribute) else { return nil }
            if newest.map({ pending.number > $0 }) ?? true {
                newest = pending.number
                update.milliseconds = pending.milliseconds
            }
            return pending.value
        }
        update.on = take(on, .on)
        update.brightness = take(brightness, .brightness)
        update.color = take(color, .color)
        if on?.value == false, !attributes.contains(.on) { update.milliseconds = 0 }
        return update
    }

    /// Replaces values by newer ones.
    ///
    /// - Returns: the tokens of what was overtaken, one for each attribute.
    mutating func merge(newer: Self) -> [UInt64] {
        var overtaken: [UInt64] = []
        func replace<Value>(_ pending: inout PendingValue<Value>?, _ other: PendingValue<Value>?) {
            guard let other else { return }
            if let pending { overtaken.append(pending.token) }
            pending = other
        }
        replace(&on, newer.on)
        replace(&brightness, newer.brightness)
        var shown = newer.color
        if let value = shown?.value { shown?.value = value.over(color?.value) }
        replace(&color, shown)
        return overtaken
    }

    /// Removes these attributes and returns them.
    mutating func take(_ attributes: Attributes) -> Self {
        var taken = self
        taken.drop(.all.subtracting(attributes))
        drop(attributes)
        return taken
    }

    /// Removes values by what asked for them.
    ///
    /// - Returns: its tokens, one for each attribute.
    mutating func drop(where isMeant: (PendingOrigin) -> Bool) -> [UInt64] {
        var dropped: Attributes = []
        if let on, isMeant(on.origin) { dropped.insert(.on) }
        if let brightness, isMeant(brightness.origin) { dropped.insert(.brightness) }
        if let color, isMeant(color.origin) { dropped.insert(.color) }
        return take(dropped).tokens
    }

    /// Counts a return without delivery.
    mutating func comeBack() {
        on?.returns += 1
        brightness?.returns += 1
        color?.returns += 1
    }

    private mutating func drop(_ attributes: Attributes) {
        if attributes.contains(.on) { on = nil }
        if attributes.contains(.brightness) { brightness = nil }
        if attributes.contains(.color) { color = nil }
    }
}
