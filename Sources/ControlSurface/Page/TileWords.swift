import ControlProtocol
import Khipu
import Languages
import Lighting

// What a tile says about a light, and about several.

extension Light {
    /// "72%", or "On" for what has no levels.
    func litText(_ words: Language) -> String { limits.dims ? words.percent(brightness) : words("On") }

    /// "72 percent", "on"
    func spokenLevel(_ words: Language) -> String {
        limits.dims ? words("\(brightness.wholePercent) percent") : words("on")
    }

    /// "orange", "2250 K", "red, yellow and green", "prism", "dynamic"; `nil` if it has neither colours nor whites,
    /// or which of them it shows is unknown.
    func toneName(_ words: Language) -> String? {
        values.effect.map { EffectName.of($0, words) } ?? plainToneName(words)
    }

    private func plainToneName(_ words: Language) -> String? {
        if let gradient = values.gradient {
            return words.list(gradient.points.map { $0.point(words).name }.unique)
        }
        return switch selectedMode {
        case .ct: ColorName.of(mirek: temperature.value)
        case .hsb: ColorName.of(hue: hue * 360, saturation: saturation * 100, words)
        case .unset: nil
        }
    }

    /// The colour of its light, also if it is off. A lamp that has only levels is warm; a plug has none.
    var glow: RGBColor? { swatch ?? (limits.dims ? RGBColor(mirek: 370) : nil) }

    /// The colours that it shows, also if it is off; none of a plug.
    var colors: [RGBColor] { values.gradient?.points.map(\.swatch) ?? [glow].compactMap(\.self) }

    var abilities: [PageTile.Ability] { [self].abilities(of: .light) }

    var white: PageTile.White? {
        guard modes.contains(.ct) else { return nil }
        return PageTile.White(temperature.value, within: whites)
    }

    var color: PageTile.Color? {
        modes.contains(.hsb) ? PageTile.Color(hue: hue.degrees, saturation: saturation.percent) : nil
    }

    var pageMode: PageTile.Mode? {
        switch selectedMode {
        case .ct: .white
        case .hsb: values.gradient == nil ? .color : .gradient
        case .unset: nil
        }
    }

    func gradient(_ words: Language) -> PageTile.Gradient? {
        guard let most = limits.gradientPoints, most > 1 else { return nil }
        return PageTile.Gradient(
            points: (values.gradient?.points ?? firstGradient).map { $0.point(words) }, most: most,
            modes: limits.gradientModes?.map(\.body) ?? [], mode: values.gradient?.mode?.body)
    }

    /// Its colour and the next: a strip of one colour twice would not show that it has two ends.
    private var firstGradient: [Light.Color] {
        let first = Light.Color(hue: hue, saturation: saturation == 0 ? 1 : saturation)
        return [
            first, Light.Color(hue: (hue + 1.0 / 6).truncatingRemainder(dividingBy: 1), saturation: first.saturation),
        ]
    }

    var effects: PageTile.Effects? {
        guard let names = limits.effects else { return nil }
        let timed = limits.timedEffects ?? []
        return PageTile.Effects(
            names: [LightValuesBody.noEffect] + names.filter { !timed.contains($0) }, timed: timed,
            running: values.effect?.name ?? LightValuesBody.noEffect, until: nil,
            adjusts: limits.adjustsEffects == true, speed: values.effect?.speed?.percent)
    }

    /// Whether a scene moves it through the colours of its palette.
    func isMoved(by scene: Scene.ID) -> Bool {
        guard values.effect?.name == Light.Effect.palette, case .scene(scene, by: _) = shownBecause.kind else {
            return false
        }
        return true
    }

    /// In mirek.
    fileprivate var whites: ClosedRange<Int> {
        limits.temperature.map { $0.lowerBound.value...$0.upperBound.value } ?? 153...500
    }
}

extension [Light] {
    /// "3 of 5 on"; "All off" only if that is certain. Of a light in doubt, nobody knows: "3 of 5 on, 8 unknown".
    func summary(_ words: Language) -> String {
        let known = filter { !$0.freshness.isInDoubt }
        let (on, unknown) = (known.count { $0.power == .on }, count - known.count)
        if isEmpty { return words("No lights yet") }
        if known.isEmpty { return words("State unknown") }
        if unknown > 0 { return words("\(on) of \(known.count) on, \(unknown) unknown") }
        return on == 0 ? words("All off") : words("\(on) of \(count) on")
    }

    /// That of its least trustworthy light; but one that is silent does not make a room silent.
    var freshness: LightBody.Freshness {
        let words = Set(map(\.freshness.body))
        if words.contains(.stale) { return .stale }
        if words.contains(.expected) { return .expected }
        return words.contains(.confirmed) || words.isEmpty ? .confirmed : .unreachable
    }

    func abilities(of kind: PageTile.Kind) -> [PageTile.Ability] {
        var abilities: [PageTile.Ability] = [.switch]
        if contains(where: \.limits.dims) { abilities.append(.dim) }
        if contains(where: { $0.modes.contains(.ct) }) { abilities.append(.white) }
        if contains(where: { $0.modes.contains(.hsb) }) { abilities.append(.color) }
        if kind == .light, contains(where: { $0.limits.gradientPoints ?? 0 > 1 }) { abilities.append(.gradient) }
        if kind == .light, contains(where: { $0.limits.effects != nil }) { abilities.append(.effect) }
        // The home has no name.
        if kind != .all { abilities.append(.rename) }
        return abilities + [.identify, .pin]
    }

    /// The whites that any of them has; the value is that of the first that shows one.
    ///
    /// - Parameter lit: those that are on.
    func white(_ lit: [Light]) -> PageTile.White? {
        let able = filter { $0.modes.contains(.ct) }
        guard let first = lit.first(where: { $0.selectedMode == .ct }) ?? able.first else { return nil }
        let coolest = able.map(\.whites.lowerBound).min() ?? first.whites.lowerBound
        let warmest = able.map(\.whites.upperBound).max() ?? first.whites.upperBound
        return PageTile.White(first.temperature.value, within: coolest...warmest)
    }

    /// The colour of the first that shows one, if any of them can.
    func color(_ lit: [Light]) -> PageTile.Color? {
        (lit.first { $0.selectedMode == .hsb } ?? first { $0.modes.contains(.hsb) })?.color
    }
}

extension PageTile.White {
    /// Enough that the colours between them are right on a screen.
    private static let steps = 6

    fileprivate init(_ mirek: Int, within range: ClosedRange<Int>) {
        let span = Double(range.upperBound - range.lowerBound)
        self.init(
            mirek: min(max(mirek, range.lowerBound), range.upperBound), coolest: range.lowerBound,
            warmest: range.upperBound,
            ramp: (0..<Self.steps).map { step in
                let share = Double(step) / Double(Self.steps - 1)
                return RGBColor(mirek: range.lowerBound + Int((span * share).rounded())).hex
            })
    }
}

extension Light.Color {
    fileprivate func point(_ words: Language) -> PageTile.Gradient.Point {
        let (degrees, percent) = (hue.degrees, saturation.percent)
        return .init(
            hue: degrees, saturation: percent, name: ColorName.of(hue: degrees, saturation: percent, words))
    }
}

extension Double {
    /// As people say a level: whole, and at least 1, because the lowest level is not off.
    var wholePercent: Int { max(Int((self * 100).rounded()), 1) }
}

extension Language {
    /// "72%"
    func percent(_ share: Double) -> String { words("\(share.wholePercent)%") }

    /// "red, yellow and green"
    func list(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return words("\(items.dropLast().joined(separator: ", ")) and \(last)")
    }

    /// "5 lights"
    func lights(_ count: Int) -> String { words(count, "1 light", "\(count) lights") }

    /// What texts are written with is called so here as in the presenters: the catalogue's test finds them by it.
    private var words: Self { self }
}

/// What people call a colour. Words are for telling lamps apart across a room, so there are few of them: a finer one
/// ("vermilion") would be read as if it were exact.
/// What an effect is called by the app of the bridge's maker; one that is newer than this list, as its bridge names it.
enum EffectName {
    static func of(_ effect: Light.Effect, _ words: Language) -> String {
        switch effect.name {
        case Light.Effect.palette: words("dynamic")
        case "candle": words("candle")
        case "fire": words("fire")
        case "prism": words("prism")
        case "sparkle": words("sparkle")
        case "opal": words("opal")
        case "glisten": words("glisten")
        case "underwater": words("underwater")
        case "cosmos": words("cosmos")
        case "sunbeam": words("sunbeam")
        case "enchant": words("enchant")
        case "sunrise": words("sunrise")
        case "sunset": words("sunset")
        default: effect.name
        }
    }
}

enum ColorName {
    /// - Parameters:
    ///   - hue: degrees, 0…360.
    ///   - saturation: per cent.
    static func of(hue: Double, saturation: Double, _ words: Language) -> String {
        if saturation < 8 { return words("white") }
        let isPale = saturation < 45
        // The borders lie where most people change the word for light, not for paint: the green of a lamp reaches far
        // into yellow, and brown and grey do not exist. A lamp's paler oranges and blues are the warm and cool whites of
        // shops.
        switch hue {
        case 15..<72 where isPale: return words("warm white")
        case 190..<255 where saturation < 25: return words("cool white")
        case 15..<46: return words("orange")
        case 46..<72: return words("yellow")
        case 72..<155: return isPale ? words("pale green") : words("green")
        case 155..<190: return isPale ? words("pale cyan") : words("cyan")
        case 190..<255: return isPale ? words("pale blue") : words("blue")
        case 255..<290: return isPale ? words("pale violet") : words("violet")
        case _ where isPale: return words("pale pink")
        case 290..<345: return words("pink")
        default: return words("red")
        }
    }

    /// "2250 K": to 50 K, which is finer than people see and coarser than two lamps of one scene differ.
    static func of(mirek: Int) -> String {
        "\(Int((1_000_000 / Double(max(mirek, 1)) / 50).rounded()) * 50) K"
    }
}
