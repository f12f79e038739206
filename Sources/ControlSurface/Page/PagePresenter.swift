public import ControlProtocol
import HashTreeCollections
import Khipu
public import Languages
public import Lighting

/// Whom the page is made for.
public struct PageReader: Hashable, Sendable {
    public let access: TokenAccess
    public let language: Language

    public init(access: TokenAccess, language: Language = .english) {
        (self.access, self.language) = (access, language)
    }
}

extension Directory {
    /// The whole page, as this reader sees it.
    public func page(for reader: PageReader) -> PageModel {
        var presenter = PagePresenter(self, reader)
        return PageModel(frame: presenter.frame, tiles: presenter.tiles)
    }
}

/// Makes the page of one home. A value to be used once: it remembers what it has worded already.
struct PagePresenter {
    let home: Directory
    let access: TokenAccess
    let words: Language
    /// In reading order, looked up once; without those that are hidden.
    private let lights: [Light]
    private let places: [PagePlace]
    private let hidden: Set<Light.ID>
    private let pins: [Target: (place: Int, display: LevelControl)]
    /// Of commands, by their tickets' numbers: most lights of a room have the same.
    private var commands: [UInt64: String?] = [:]

    init(_ home: Directory, _ reader: PageReader) {
        let hidden = home.dashboard.exclusions[.page] ?? []
        (self.home, self.hidden) = (home, hidden)
        lights = hidden.isEmpty ? home.lights : home.lights.filter { !hidden.contains($0.id) }
        places = hidden.isEmpty ? home.places : home.places.compactMap { $0.without(hidden) }
        (access, words) = (reader.access, reader.language)
        pins = Dictionary(
            home.dashboard.pins.enumerated().map { ($1.target, (place: $0 + 1, display: $1.display)) }
        ) { first, _ in first }
    }

    // MARK: The frame

    var frame: PageFrame {
        let bridges = home.bridges
        return PageFrame(
            title: bridges.count == 1 ? bridges[0].name.orElse("Home") : "Home",
            summary: lights.summary, access: access, notices: notices, sections: sections,
            bridges: bridges.map { $0.entry(lights: lights(on: $0.id).count) }, allOff: allOff)
    }

    /// What is hidden goes off as well.
    private var allOff: PageFrame.AllOff {
        let spared = home.dashboard.exclusions[.allOff] ?? []
        let mayBeOn = home.lights.filter { $0.power == .on || $0.freshness.isInDoubt }
        let staying = spared.isEmpty ? [] : mayBeOn.filter { spared.contains($0.id) && !$0.freshness.isInDoubt }
        let names = staying.prefix(Self.mostNames).map { $0.name.orElse(words("Light")).isolatedName }
        let rest = staying.count - names.count
        let listed = list(names, and: rest)
        return PageFrame.AllOff(
            possible: mayBeOn.contains { !spared.contains($0.id) },
            spared: staying.isEmpty
                ? ""
                : staying.count == 1 ? words("\(listed) stays on.") : words("\(listed) stay on."))
    }

    /// "Desk, Sofa and 3 others"
    private func list(_ names: [String], and rest: Int) -> String {
        let others = rest == 1 ? words("1 other") : words("\(rest) others")
        return enumeration(rest > 0 ? names + [others] : names, words("and"))
    }

    private var sections: [PageSection] {
        let scenes = Dictionary(grouping: home.scenes, by: \.room)
        let sensors = Dictionary(grouping: home.sensors.filter { $0.room != nil }, by: \.room)
        let pinned = home.dashboard.pins.map(\.target).filter { isShown($0) }.map(\.key)
        var sections: [PageSection] = []
        if !pinned.isEmpty {
            sections.append(
                PageSection(
                    id: "pinned", kind: .pinned, title: "Pinned", summary: "", sensed: nil, whole: nil, scenes: [],
                    tiles: pinned))
        }
        for place in places {
            let shown = home.state.shownScene(of: place.room)
            sections.append(
                PageSection(
                    id: place.id, kind: place.kind, title: place.title,
                    summary: place.lights.compactMap { home.light($0) }.summary,
                    sensed: place.room.flatMap { sensors[$0]?.sensed(in: words) }, whole: place.whole,
                    scenes: (scenes[place.room] ?? []).map { entry(of: $0, shown) }, tiles: place.tiles))
        }
        return sections
    }

    private func entry(of scene: Scene, _ shown: ShownScene?) -> PageScene {
        let lights = home.lights(of: scene).compactMap { home.light($0) }
        let isActive = shown == ShownScene(scene: scene.id, isChanged: false)
        // A scene whose values are not known looks like its lights while they show it.
        let colors =
            scene.look.map { $0.compactMap(\.color) }
            ?? (isActive ? lights.filter { $0.power == .on }.compactMap(\.glow) : [])
        let moved = lights.filter { $0.isMoved(by: scene.id) }
        return PageScene(
            id: scene.id.description, title: scene.name.orElse("Scene"), look: look(of: colors), active: isActive,
            detail: moved.isEmpty ? "" : "dynamic",
            // What a scene sets, only bridges with API v2 tell.
            canBeDynamic: scene.look != nil, speed: moved.lazy.compactMap { $0.values.effect?.speed?.percent }.first)
    }

    /// Each once, and at most four: more could not be told apart on a scene's button.
    private func look(of colors: [RGBColor]) -> [String] {
        var look: [String] = []
        for color in colors.lazy.map(\.hex) where !look.contains(color) {
            look.append(color)
            if look.count == 4 { break }
        }
        return look
    }

    // MARK: Notices

    private var notices: [PageNotice] {
        guard !home.bridges.isEmpty else {
            return [
                PageNotice(
                    id: "pair", kind: .info, title: "No bridge is paired yet.",
                    text: "Pair with the one in your home: lightd finds it, and you press its button.", at: nil)
            ]
        }
        let notices =
            home.bridges.compactMap { $0.notice(lights: lights(on: $0.id).count) } + unreachable + lowBatteries
        guard lights.isEmpty, notices.isEmpty else { return notices }
        guard home.state.lights.isEmpty else {
            return [
                PageNotice(
                    id: "hidden", kind: .info, title: words("All lamps are hidden."),
                    text: words("Rooms and lamps in the menu brings them back."), at: nil)
            ]
        }
        return [
            PageNotice(
                id: "lights", kind: .info, title: "No lights yet.",
                text: "Add them in the app of the bridge's maker; they appear here by themselves.", at: nil)
        ]
    }

    private var unreachable: [PageNotice] {
        // Of a lamp whose bridge is lost, nobody knows whether it would answer.
        let silent = lights.filter { light in
            if case .unreachable = light.freshness { home.bridge(light.id.bridge)?.isConnected == true } else { false }
        }
        guard !silent.isEmpty else { return [] }
        let named = silent.prefix(silent.count == Self.mostNames + 1 ? silent.count : Self.mostNames).map(\.name)
        let rest = silent.count - named.count
        let names = named + (rest > 0 ? [counted(rest, "other")] : [])
        return [
            PageNotice(
                id: "unreachable", kind: .info,
                title: silent.count == 1 ? "1 light does not answer." : "\(silent.count) lights do not answer.",
                text: "\(enumeration(names, "and")): \(silent.count == 1 ? "does it" : "do they") have power?", at: nil,
                causes: silent.map { "light/\($0.id)" })
        ]
    }

    private var lowBatteries: [PageNotice] {
        let low = home.sensors.filter(\.isBatteryLow)
        guard let first = low.first else { return [] }
        let name = { (sensor: Sensor) in sensor.name.orElse(words("Sensor")).isolatedName }
        let charge = { (sensor: Sensor) in words.percent(sensor.battery?.value ?? 0) }
        let names = low.prefix(Self.mostNames).map { "\(name($0)) (\(charge($0)))" }
        let rest = low.count - names.count
        return [
            PageNotice(
                id: "battery", kind: .info,
                title: low.count == 1
                    ? words("The battery of \(name(first)) is low.") : words("\(low.count) batteries are low."),
                text: low.count == 1
                    ? words("At \(charge(first)): change it before it stops working.")
                    : list(names, and: rest) + ".", at: nil, causes: low.map { "battery/\($0.id)" })
        ]
    }

    private static let mostNames = 3

    private func lights(on bridge: Bridge.ID) -> [Light] { lights.filter { $0.id.bridge == bridge } }

    // MARK: Tiles

    /// All of them, by their keys.
    var tiles: [String: PageTile] {
        mutating get {
            var tiles: [String: PageTile] = [:]
            for target in targets { tiles[target.key] = tile(of: target) }
            return tiles
        }
    }

    /// What has a tile: every light, every room and zone with lights, and the home if it is pinned.
    var targets: [Target] {
        let rooms = places.compactMap { $0.room.map(Target.room) }
        return lights.map { .light($0.id) } + rooms + (home.dashboard.shows(.all) ? [.all] : [])
    }

    /// `nil` if it does not exist.
    mutating func tile(of target: Target) -> PageTile? {
        switch target {
        case let .light(id): isShown(target) ? home.light(id).map { tile(of: $0) } : nil
        case let .room(id):
            home.room(id).map { room in
                tile(
                    of: target, room.kind == .room ? .room : .zone, room.name.orElse("Room"),
                    home.lights(of: target).filter { !hidden.contains($0.id) })
            }
        case .all: tile(of: .all, .all, words("All lights"), lights)
        }
    }

    /// Whether it has a tile.
    private func isShown(_ target: Target) -> Bool {
        switch target {
        case let .light(id): home.light(id) != nil && !hidden.contains(id)
        case .room: home.lights(of: target).contains { !hidden.contains($0.id) }
        case .all: true
        }
    }

    private mutating func tile(of light: Light) -> PageTile {
        let target = Target.light(light.id)
        let pin = pins[target]
        let (cause, isLit) = (light.shownBecause, light.power == .on)
        let value = isLit ? light.litText : "Off"
        let tones = [isLit ? light.toneName : nil, light.signal.map { _ in "blinks" }].compactMap(\.self)
        let detail = tones.joined(separator: ", ")
        let spoken = ([isLit ? light.spokenLevel : "off"] + tones).joined(separator: ", ")
        var tile = PageTile(
            key: target.key, target: target.text, kind: .light, title: light.name.orElse("Light"),
            place: home.roomOfLight[light.id]?.name.orElse("Room"),
            state: light.freshness.isInDoubt ? .unknown : isLit ? .on : .off,
            level: light.limits.dims ? light.brightness : nil, levelText: value, detail: detail, valueText: spoken,
            reason: cause.brief(in: home).map { .init(text: "\($0.withoutMarks), {at}", at: cause.time.iso8601) },
            why: sentence(of: cause) + home.sentenceOfFollowing(light), glow: light.glow?.hex,
            look: light.values.gradient?.points.map(\.swatch.hex) ?? [], partly: false, members: "",
            freshness: light.freshness.body,
            can: allowed(light.abilities), display: (pin?.display ?? light.display),
            white: light.white, color: light.color, gradient: light.gradient, effects: effects(of: light),
            moves: light.values.effect != nil, mode: light.pageMode, pin: pin?.place, pace: Pace.lights(1))
        switch light.freshness {
        case .confirmed: break
        case .expected: tile.valueText += ", not confirmed yet"
        case let .stale(since: time):
            tile.valueText = "not connected, last known: \(spoken)"
            tile.reason = .init(text: "as it was at {clock}", at: time.iso8601)
            tile.why = "Its bridge has not been connected since {clock}." + before(cause)
        case let .unreachable(since: time):
            (tile.levelText, tile.detail) = ("No answer", "")
            tile.valueText = "no answer, last known: \(spoken)"
            tile.reason = .init(text: "since {clock}; does it have power?", at: time.iso8601)
            tile.why = "No answer since {clock}." + before(cause)
        }
        return tile
    }

    private mutating func tile(of target: Target, _ kind: PageTile.Kind, _ title: String, _ lights: [Light]) -> PageTile
    {
        let pin = pins[target]
        let known = lights.filter { !$0.freshness.isInDoubt }
        // Without any that is known, what they last showed.
        let shown = known.isEmpty ? lights : known
        let lit = shown.filter { $0.power == .on }
        let level = lit.meanBrightness
        let isSilent = !lights.isEmpty && lights.allSatisfy { $0.freshness.body == .unreachable }
        let value = lit.isEmpty ? "Off" : level?.percentText ?? "On"
        let spoken = lit.isEmpty ? "off" : level.map { "\($0.wholePercent) percent" } ?? "on"
        let colors = (lit.isEmpty ? shown : lit).flatMap(\.colors)
        let isPartly = !known.isEmpty && !lit.isEmpty && lit.count < known.count
        let count = isPartly ? "\(lit.count) of \(known.count) on" : counted(lights.count, "light")
        let shared = Set(lights.map(\.shownBecause)).count == 1 && !known.isEmpty ? lights.first?.shownBecause : nil
        let modes = Set(lit.map(\.pageMode))
        return PageTile(
            key: target.key, target: target.text, kind: kind, title: title, place: nil,
            state: known.isEmpty ? .unknown : lit.isEmpty ? .off : .on, level: level ?? shown.meanBrightness,
            levelText: isSilent ? "No answer" : value, detail: count,
            valueText: isSilent
                ? "no answer, \(count)"
                : known.isEmpty ? "not connected, last known: \(spoken)" : "\(spoken), \(count)",
            reason: shared.flatMap { cause in
                cause.brief(in: home).map { .init(text: "\($0.withoutMarks), {at}", at: cause.time.iso8601) }
            },
            why: shared.map { sentence(of: $0) } ?? "", glow: colors.first?.hex, look: look(of: colors),
            partly: isPartly,
            members: kind == .zone ? enumeration(lights.map { $0.name.orElse("Light") }, "and") : "",
            freshness: lights.freshness, can: allowed(lights.abilities(of: kind)),
            display: (pin?.display ?? .slider), white: lights.white(lit), color: lights.color(lit),
            gradient: nil, effects: nil, moves: false,
            mode: modes.count == 1 ? modes.first ?? nil : nil, pin: pin?.place,
            pace: Dictionary(grouping: lights.filter(\.limits.dims), by: \.id.bridge).values
                .map { Pace.lights($0.count) }.max() ?? Pace.lights(1))
    }

    private func effects(of light: Light) -> PageTile.Effects? {
        var effects = light.effects
        if let running = light.values.effect, let milliseconds = running.milliseconds {
            let begun = home.state.history.beginning(of: running, on: light.id)
            effects?.until = begun?.advanced(by: .milliseconds(milliseconds)).iso8601
        }
        return effects
    }

    private func allowed(_ abilities: [PageTile.Ability]) -> [PageTile.Ability] {
        abilities.filter { $0.role <= access }
    }

    /// " Before: scene Evening, recalled by another app"; empty if nobody knows.
    private mutating func before(_ cause: Cause) -> String {
        cause.kind == .unseen ? "" : " Before: \(sentence(of: cause, withTime: false))"
    }

    private mutating func sentence(of cause: Cause, withTime: Bool = true) -> String {
        if let ticket = cause.ticket, commands[ticket.number] == nil {
            commands[ticket.number] = .some(home.words(ofCommand: ticket)?.inKelvin)
        }
        let sentence = cause.sentence(in: home) { commands[$0.number] ?? nil }.withoutMarks
        return withTime && cause.kind != .unseen ? "\(sentence), {at}" : sentence
    }
}

/// How often a drag may send: what a bridge takes of all its clients together, ten light commands and one group command
/// a second. A room is dragged by one or the other, light by light if that is faster.
private enum Pace {
    /// In milliseconds, for so many lights on one bridge.
    static func lights(_ count: Int) -> Int { min(max(count, 1) * 100, 1000) }
}

extension Target {
    /// Identifies its tile.
    var key: String {
        switch self {
        case let .light(id): "light/\(id)"
        case let .room(id): "room/\(id)"
        case .all: "all"
        }
    }
}

extension String {
    /// The words of a command have white tones in mirek, as the API does; all else on the page has kelvin.
    fileprivate var inKelvin: String {
        replacing(/\b(\d+) mirek\b/) { Int($0.1).map { ColorName.of(mirek: $0) } ?? String($0.0) }
    }

    /// A text with names in it, none of which can be taken for `{at}` or `{clock}` (a scene may be called that).
    ///
    /// An invisible word joiner follows each brace. By scalars, as a browser finds the marks.
    var withoutMarks: String {
        guard unicodeScalars.contains("{") else { return self }
        var plain = UnicodeScalarView()
        for scalar in unicodeScalars {
            plain.append(scalar)
            if scalar == "{" { plain.append("\u{2060}") }
        }
        return String(plain)
    }

    public func orElse(_ text: String) -> String { isEmpty ? text : self }
}

extension LightPatch {
    /// On a screen; `nil` for a level alone.
    fileprivate var color: RGBColor? {
        switch tone?.base {
        case let .color(hue?, saturation?): RGBColor(hue: hue * 360, saturation: saturation * 100)
        case let .white(mirek): RGBColor(mirek: mirek.value)
        case let .gradient(gradient): gradient.points.first?.swatch
        case .color, .effect, nil: nil
        }
    }
}

// A bridge's health in the page's words.

extension Bridge {
    /// - Parameter lights: how many lights it has.
    func entry(lights: Int) -> PageBridge {
        let (state, text): (PageBridge.State, String) =
            switch pageState {
            case .connected: (.connected, "Connected, \(counted(lights, "light"))")
            case .connecting: (.connecting, "Connecting")
            case .notPaired: (.notPaired, "No longer accepts lightd: pair with it again")
            // Only pairing brings it back.
            case let .lost(failure) where failure.needsPairing:
                (.notPaired, "Lost since {clock}: \(failure.reason.withoutMarks)")
            case let .lost(failure): (.lost, "Lost since {clock}: \(failure.reason.withoutMarks)")
            }
        return PageBridge(
            id: id.description, title: name.orElse("Hue bridge"), state: state, text: text, at: since.iso8601)
    }

    /// - Parameter lights: how many lights it has.
    func notice(lights: Int) -> PageNotice? {
        let title: String
        let text: String
        switch pageState {
        case .connecting where lights == 0:
            return PageNotice(
                id: "bridge/\(id)", kind: .info, title: "Waiting for \(noun).",
                text: "Its lights appear here as soon as it answers.", at: nil)
        case .connected, .connecting: return nil
        case .notPaired:
            title = "\(noun) no longer accepts lightd."
            text = "Pair with it again: press its button when the page asks for it."
        case .lost(.certificateRefused):
            title = "\(noun) shows a different certificate than when it was paired."
            text =
                "Nothing is sent to it. If it was reset, pair with it again to trust it. If another "
                + "has taken its place, pair with that one, and forget this one."
        case .lost:
            title = lights == 0 ? "Waiting for \(noun)." : "\(noun) is lost."
            text =
                switch lights {
                case 0:
                    "Its lights appear here as soon as it answers. Not reached since {clock}: is it powered, and on "
                        + "this network?"
                case 1: "Its only light is shown as it was at {clock}; trying again."
                default: "Its \(lights) lights are shown as they were at {clock}; trying again."
                }
        }
        return PageNotice(id: "bridge/\(id)", kind: .warning, title: title, text: text, at: since.iso8601)
    }

    /// "Hallway bridge": the word is not said twice.
    private var noun: String {
        let name = name.orElse("Hue bridge")
        return name.lowercased().contains("bridge") ? name : "\(name) bridge"
    }

    private enum PageState {
        case connected, connecting, notPaired
        case lost(Failure)
    }

    private var pageState: PageState {
        switch connection {
        case .connected: .connected
        case .lost(_, because: .keyRefused): .notPaired
        case let .lost(_, because: failure):
            failure == .notReachedYet(id) || failure == .justPaired(id) ? .connecting : .lost(failure)
        }
    }

    private var since: Timestamp {
        switch connection {
        case let .connected(since: time, by: _), let .lost(since: time, because: _): time
        }
    }
}

extension Failure {
    fileprivate var needsPairing: Bool { if case .certificateRefused = self { true } else { false } }
}

// Why a light is as it is, in the page's words. The time is not among them: the browser knows how long ago it was.

extension Cause {
    /// In a few words: "the page", "anna", "Evening" for a scene, "wall switch Hall". `nil` if nobody knows.
    func brief(in home: Directory) -> String? {
        switch kind {
        case let .command(ticket): ticket.sender
        case let .scene(scene, by: _): home.scene(scene)?.name.orElse("a scene") ?? "a scene"
        case let .accessory(name): Self.wallSwitch(name)
        case .power: "power came back"
        case .otherApp: "another app or a switch"
        case .unseen: nil
        }
    }

    /// As a part of a sentence: "anna (uid 1000) with lightctl sent 'set @Kitchen to 40%'", as `lightctl why` says it.
    ///
    /// - Parameter words: of the command with this ticket; `nil` if it is not known any more.
    func sentence(in home: Directory, _ words: (Ticket) -> String?) -> String {
        switch kind {
        case let .command(ticket): "\(ticket.person) sent \(words(ticket).map { "'\($0)'" } ?? "a command")"
        case let .scene(scene, by: ticket):
            (home.scene(scene).map { "scene \($0.name)" } ?? "a scene that no longer exists")
                + ", recalled by \(ticket?.person ?? "another app")"
        case let .accessory(name): Self.wallSwitch(name)
        case .power: "its power came back"
        case .otherApp: "another app, or a switch that the bridge does not report"
        case .unseen: "not changed since lightd started listening"
        }
    }

    private static func wallSwitch(_ name: String) -> String { name.isEmpty ? "wall switch" : "wall switch \(name)" }
}

extension Directory {
    /// Who or what set a light to what it shows, as `lightctl why` says it, without the time.
    public func why(_ light: Light) -> String {
        light.shownBecause.sentence(in: self) { words(ofCommand: $0)?.inKelvin }
    }
}

extension Ticket {
    /// "the page" for a command from a page, "anna" for one of "anna (uid 1000) with lightctl".
    fileprivate var sender: String { name.isEmpty ? "somebody" : spoken(name) }

    /// The same with all that is known: "the page with token 'phone' over TCP", "anna (uid 1000) with lightctl".
    fileprivate var person: String { holder.isEmpty ? "somebody" : spoken(name) + holder[name.endIndex...] }

    private var name: Substring { SenderText.brief(holder) }

    /// Whoever reads this is on a page, too, and perhaps on another one: it is not "you".
    private func spoken(_ name: Substring) -> String {
        name == "a \(Routes.pageClient)" ? "the page" : String(name)
    }
}
