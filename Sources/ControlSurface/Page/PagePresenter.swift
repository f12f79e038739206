public import ControlProtocol
import HashTreeCollections
import Khipu
public import Languages
import Lighting

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

    /// All automations, as this reader sees them.
    public func pageAutomations(for reader: PageReader) -> [PageAutomation] { UpcomingPresenter(self, reader).list }
}

/// Makes the page of one home. A value to be used once: it remembers what it has worded already.
struct PagePresenter {
    let home: Directory
    let access: TokenAccess
    let words: Language
    private let reader: PageReader
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
        (access, words, self.reader) = (reader.access, reader.language, reader)
        pins = Dictionary(
            home.dashboard.pins.enumerated().map { ($1.target, (place: $0 + 1, display: $1.display)) }
        ) { first, _ in first }
    }

    // MARK: The frame

    var frame: PageFrame {
        let bridges = home.bridges
        return PageFrame(
            title: bridges.count == 1 ? bridges[0].name.orElse(words("Home")) : words("Home"),
            summary: lights.summary(words), access: access, notices: notices,
            upcoming: UpcomingPresenter(home, reader).upcoming, sections: sections,
            bridges: bridges.map { $0.entry(lights: lights(on: $0.id).count, words) }, allOff: allOff)
    }

    /// What is hidden goes off as well.
    private var allOff: PageFrame.AllOff {
        let spared = home.dashboard.exclusions[.allOff] ?? []
        let mayBeOn = home.lights.filter { $0.power == .on || $0.freshness.isInDoubt }
        let staying = spared.isEmpty ? [] : mayBeOn.filter { spared.contains($0.id) && !$0.freshness.isInDoubt }
        let names = staying.prefix(Self.mostNames).map { $0.name.orElse(words("Light")).isolated }
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
        words.list(names + (rest > 0 ? [words(rest, "1 other", "\(rest) others")] : []))
    }

    private var sections: [PageSection] {
        let scenes = Dictionary(grouping: home.scenes, by: \.room)
        let sensors = Dictionary(grouping: home.sensors.filter { $0.room != nil }, by: \.room)
        let pinned = home.dashboard.pins.map(\.target).filter { isShown($0) }.map(\.key)
        var sections: [PageSection] = []
        if !pinned.isEmpty {
            sections.append(
                PageSection(
                    id: "pinned", kind: .pinned, title: words("Pinned"), summary: "", sensed: nil, whole: nil,
                    scenes: [],
                    tiles: pinned))
        }
        for place in places {
            let shown = home.state.shownScene(of: place.room)
            sections.append(
                PageSection(
                    id: place.id, kind: place.kind, title: title(of: place),
                    summary: place.lights.compactMap { home.light($0) }.summary(words),
                    sensed: place.room.flatMap { sensors[$0]?.sensed(in: words) }, whole: place.whole,
                    scenes: (scenes[place.room] ?? []).map { entry(of: $0, shown) }, tiles: place.tiles))
        }
        return sections
    }

    private func title(of place: PagePlace) -> String {
        guard place.kind == .others else { return place.name.orElse(words("Room")) }
        return home.places.count == 1 ? words("Lights") : words("Other lights")
    }

    private func entry(of scene: Scene, _ shown: ShownScene?) -> PageScene {
        let lights = home.lights(of: scene).compactMap { home.light($0) }
        let isActive = shown == ShownScene(scene: scene.id, isChanged: false)
        let isChanged = shown == ShownScene(scene: scene.id, isChanged: true)
        // A scene whose values are not known looks like its lights while they show it.
        let colors =
            scene.look.map { $0.flatMap(\.colors) }
            ?? (isActive ? lights.filter { $0.power == .on }.flatMap(\.colors) : [])
        let moved = lights.filter { $0.isMoved(by: scene.id) }
        let details = [
            scene.smart == nil ? nil : words("through the day"), moved.isEmpty ? nil : words("dynamic"),
            isChanged ? words("changed") : nil,
        ]
        return PageScene(
            id: scene.id.description, title: scene.name.orElse(words("Scene")), look: look(of: colors, most: 8),
            active: isActive, changed: isChanged, moves: !moved.isEmpty,
            detail: details.compactMap(\.self).joined(separator: ", "),
            // What a scene sets, only bridges with API v2 tell.
            canBeDynamic: scene.look != nil && scene.smart == nil,
            smart: scene.smart.map { $0.isActive ? .active : .resting },
            speed: moved.lazy.compactMap { $0.values.effect?.speed?.percent }.first)
    }

    /// Each once, and not more than could be told apart: four on a tile, eight on a scene's button, which is only that.
    private func look(of colors: [RGBColor], most: Int = 4) -> [String] {
        var look: [String] = []
        for color in colors.lazy.map(\.hex) where !look.contains(color) {
            look.append(color)
            if look.count == most { break }
        }
        return look
    }

    // MARK: Notices

    private var notices: [PageNotice] {
        guard !home.bridges.isEmpty else {
            return [
                PageNotice(
                    id: "pair", kind: .info, title: words("No bridge is paired yet."),
                    text: words("Pair with the one in your home: lightd finds it, and you press its button."), at: nil)
            ]
        }
        let notices =
            home.bridges.compactMap { $0.notice(lights: lights(on: $0.id).count, words) } + unreachable + lowBatteries
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
                id: "lights", kind: .info, title: words("No lights yet."),
                text: words("Add them in the app of the bridge's maker; they appear here by themselves."), at: nil)
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
        let names = list(Array(named), and: rest)
        return [
            PageNotice(
                id: "unreachable", kind: .info,
                title: words(silent.count, "1 light does not answer.", "\(silent.count) lights do not answer."),
                text: words(silent.count, "\(names): does it have power?", "\(names): do they have power?"), at: nil,
                causes: silent.map { "light/\($0.id)" })
        ]
    }

    private var lowBatteries: [PageNotice] {
        let low = home.sensors.filter(\.isBatteryLow)
        guard let first = low.first else { return [] }
        let name = { (sensor: Sensor) in sensor.name.orElse(words("Sensor")).isolated }
        let charge = { (sensor: Sensor) in words.charge(sensor.battery?.value ?? 0) }
        let names = low.prefix(Self.mostNames).map { "\(name($0)) (\(charge($0)))" }
        let rest = low.count - names.count
        return [
            PageNotice(
                id: "battery", kind: .info,
                title: words(low.count, "The battery of \(name(first)) is low.", "\(low.count) batteries are low."),
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
                    of: target, room.kind == .room ? .room : .zone, room.name.orElse(words("Room")),
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
        let value = isLit ? light.litText(words) : words("Off")
        let tones = [isLit ? light.toneName(words) : nil, light.signal.map { _ in words("blinks") }].compactMap(\.self)
        let detail = tones.joined(separator: ", ")
        let spoken = ([isLit ? light.spokenLevel(words) : words("off")] + tones).joined(separator: ", ")
        let follows = follows([light])
        let followed = follows.map { ", \($0.text.withSmall)" } ?? ""
        var tile = PageTile(
            key: target.key, target: target.text, kind: .light, title: light.name.orElse(words("Light")),
            place: home.roomOfLight[light.id]?.name.orElse(words("Room")),
            state: light.freshness.isInDoubt ? .unknown : isLit ? .on : .off,
            level: light.limits.dims ? light.brightness : nil, levelText: value, detail: detail,
            valueText: spoken + followed,
            reason: reason(of: cause),
            why: sentence(of: cause) + home.sentenceOfFollowing(light, words), glow: light.glow?.hex,
            look: light.values.gradient?.points.map(\.swatch.hex) ?? [], partly: false, members: "",
            freshness: light.freshness.body,
            can: allowed(light.abilities), display: (pin?.display ?? light.display),
            white: light.white, color: light.color, gradient: light.gradient(words), effects: effects(of: light),
            moves: light.values.effect != nil, follows: follows, mode: light.pageMode, pin: pin?.place,
            pace: Pace.lights(1))
        switch light.freshness {
        case .confirmed: break
        case .expected: tile.valueText = words("\(spoken + followed), not confirmed yet")
        case let .stale(since: time):
            tile.valueText = words("not connected, last known: \(spoken)")
            tile.reason = .init(text: words("as it was at {clock}"), at: time.iso8601)
            tile.why = words("Its bridge has not been connected since {clock}.") + before(cause)
        case let .unreachable(since: time):
            (tile.levelText, tile.detail) = (words("No answer"), "")
            tile.valueText = words("no answer, last known: \(spoken)")
            let text =
                switch light.comesOn {
                case true?: words("since {clock}. Comes on when it has power")
                case false?: words("since {clock}. Stays off when it has power again")
                case nil: words("since {clock}; does it have power?")
                }
            tile.reason = .init(text: text, at: time.iso8601)
            tile.why = words("No answer since {clock}.") + before(cause)
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
        let value = lit.isEmpty ? words("Off") : level.map { words.percent($0) } ?? words("On")
        let spoken =
            lit.isEmpty ? words("off") : level.map { words("\($0.wholePercent) percent") } ?? words("on")
        let colors = (lit.isEmpty ? shown : lit).flatMap(\.colors)
        let isPartly = !known.isEmpty && !lit.isEmpty && lit.count < known.count
        let count = isPartly ? words("\(lit.count) of \(known.count) on") : words.lights(lights.count)
        let shared = Set(lights.map(\.shownBecause)).count == 1 && !known.isEmpty ? lights.first?.shownBecause : nil
        let modes = Set(lit.map(\.pageMode))
        return PageTile(
            key: target.key, target: target.text, kind: kind, title: title, place: nil,
            state: known.isEmpty ? .unknown : lit.isEmpty ? .off : .on, level: level ?? shown.meanBrightness,
            levelText: isSilent ? words("No answer") : value, detail: count,
            valueText: isSilent
                ? words("no answer, \(count)")
                : known.isEmpty ? words("not connected, last known: \(spoken)") : "\(spoken), \(count)",
            reason: shared.flatMap(reason),
            why: shared.map { sentence(of: $0) } ?? "", glow: colors.first?.hex, look: look(of: colors),
            partly: isPartly,
            members: kind == .zone ? words.list(lights.map { $0.name.orElse(words("Light")) }) : "",
            freshness: lights.freshness, can: allowed(lights.abilities(of: kind)),
            display: (pin?.display ?? .slider), white: lights.white(lit), color: lights.color(lit),
            gradient: nil, effects: nil, moves: false, follows: follows(lights),
            mode: modes.count == 1 ? modes.first ?? nil : nil, pin: pin?.place,
            pace: Dictionary(grouping: lights.filter(\.limits.dims), by: \.id.bridge).values
                .map { Pace.lights($0.count) }.max() ?? Pace.lights(1))
    }

    /// `nil` if none of them follows anything.
    private func follows(_ lights: [Light]) -> PageTile.Follows? {
        guard !home.state.followings.all.isEmpty else { return nil }
        // A sunrise and a sunset end by themselves: they are among what is to come.
        let timed = [Following.Course.wakeUp(over: .zero), .sleep(over: .zero)].map(\.name)
        let followed = lights.flatMap { home.follows(of: $0) ?? [] }.filter { !timed.contains($0.course) }
        guard let first = followed.first else { return nil }
        let own = Set(followed.filter { $0.paused != nil }.map(\.value))
        let isAll = followed.allSatisfy { $0.paused != nil }
        let text =
            first.course == "daylight" ? words("Follows the day") : words("Follows \(first.course.asName)")
        let yours =
            switch own {
            case []: ""
            case [.brightness]: words("Its brightness is yours")
            case [.temperature]: words("Its white tone is yours")
            default: words("Its light is yours")
            }
        return PageTile.Follows(
            text: [isAll ? "" : text, yours].filter { !$0.isEmpty }.joined(separator: ". "), paused: !own.isEmpty)
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
        // The curve that the page offers goes by the sun.
        let follows = home.time.place != nil && (abilities.contains(.dim) || abilities.contains(.white))
        return (abilities + (follows ? [.follow] : [])).filter { $0.role <= access }
    }

    private func reason(of cause: Cause) -> PageTile.Reason? {
        cause.brief(in: home, words).map { PageTile.Reason(text: "\($0), {at}", at: cause.time.iso8601) }
    }

    /// " Before: another app chose the scene Evening"; empty if nobody knows.
    private mutating func before(_ cause: Cause) -> String {
        cause.kind == .unseen ? "" : words(" Before: \(sentence(of: cause, withTime: false))")
    }

    private mutating func sentence(of cause: Cause, withTime: Bool = true) -> String {
        if let ticket = cause.ticket, commands[ticket.number] == nil {
            commands[ticket.number] = .some(home.deed(of: ticket, words))
        }
        let sentence = cause.sentence(in: home, words) { commands[$0.number] ?? nil }
        guard withTime, cause.kind != .unseen else { return sentence }
        let start = cause.ticket.flatMap { home.reason(of: $0) }
        let reason = start?.words(words) ?? ""
        guard !reason.isEmpty else { return "\(sentence), {at}" }
        // What started a run did not do all of it: a lamp that motion turns on goes off after a wait.
        guard case .trigger(_, late: nil)? = start else { return "\(sentence), {at} (\(reason))" }
        return "\(sentence), {at}. \(words("What started it – \(reason)"))"
    }
}

/// How often a drag may send: what a bridge takes of all its clients together, ten light commands and one group command
/// a second. A room is dragged by one or the other, light by light if that is faster.
private enum Pace {
    /// In milliseconds, for so many lights on one bridge.
    static func lights(_ count: Int) -> Int { min(max(count, 1) * 100, 1000) }
}

extension Light {
    /// Whether it will be on as soon as it has power, by what is kept for it; `nil` if that does not say so. A level or a
    /// colour is kept for one that is on.
    fileprivate var comesOn: Bool? {
        guard let kept = known.kept else { return nil }
        if let asked = kept.power { return asked == .on }
        return power == .on ? true : nil
    }
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

// A bridge's health in the page's words.

extension Bridge {
    /// - Parameter lights: how many lights it has.
    func entry(lights: Int, _ words: Language) -> PageBridge {
        let (state, text): (PageBridge.State, String) =
            switch pageState {
            case .connected: (.connected, words("Connected, \(words.lights(lights))"))
            case .connecting: (.connecting, words("Connecting"))
            case .notPaired: (.notPaired, words("No longer accepts lightd: pair with it again"))
            // Only pairing brings it back.
            case let .lost(failure):
                (
                    // Only pairing brings it back.
                    failure.needsPairing ? .notPaired : .lost,
                    // lightd knows more of it in English.
                    words(
                        "Lost since {clock}: \(words == .english ? failure.reason.withoutMarks : failure.inGeneral(words))"
                    )
                )
            }
        return PageBridge(
            id: id.description, title: name.orElse(words("Hue bridge")), state: state, text: text, at: since.iso8601)
    }

    /// - Parameter lights: how many lights it has.
    func notice(lights: Int, _ words: Language) -> PageNotice? {
        let title: String
        let text: String
        let noun = noun(words)
        switch pageState {
        case .connecting where lights == 0:
            return PageNotice(
                id: "bridge/\(id)", kind: .info, title: words("Waiting for \(noun)."),
                text: words("Its lights appear here as soon as it answers."), at: nil)
        case .connected, .connecting: return nil
        case .notPaired:
            title = words("\(noun) no longer accepts lightd.")
            text = words("Pair with it again: press its button when the page asks for it.")
        case .lost(.certificateRefused):
            title = words("\(noun) shows a different certificate than when it was paired.")
            text =
                words("Nothing is sent to it. If it was reset, pair with it again to trust it.") + " "
                + words("If another has taken its place, pair with that one, and forget this one.")
        case .lost:
            title = lights == 0 ? words("Waiting for \(noun).") : words("\(noun) is lost.")
            text =
                switch lights {
                case 0:
                    words("Its lights appear here as soon as it answers.") + " "
                        + words("Not reached since {clock}: is it powered, and on this network?")
                case 1: words("Its only light is shown as it was at {clock}; trying again.")
                default: words("Its \(lights) lights are shown as they were at {clock}; trying again.")
                }
        }
        return PageNotice(id: "bridge/\(id)", kind: .warning, title: title, text: text, at: since.iso8601)
    }

    /// "Hallway bridge": the word is not said twice.
    private func noun(_ words: Language) -> String {
        let name = name.orElse(words("Hue bridge"))
        return name.lowercased().contains("bridge") ? name : words("\(name) bridge")
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
