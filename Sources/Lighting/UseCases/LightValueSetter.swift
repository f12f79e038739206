import Khipu

/// Sets brightness, colour and white tone. Turns lights on that are off, because whoever sets a level wants to see it.
/// Skips the lamps of a room that cannot show the setting.
///
/// The mean brightness of a room is brought to a level by its lights that are on, in their ratios; the others stay off.
struct LightValueSetter: UseCase {
    enum Request { case apply(Message.Lighting.Application, Target, Transition) }
    enum Response { case applying(Message.Lighting.Application, Target, Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .apply(application, target, transition):
            let reply: Reply<Outcome> = { [respond] in respond(.applying(application, target, $0), ticket) }
            do throws(Failure) {
                let settings = try store.state().settings(of: application, on: target)
                store.expect(
                    settings.map { ($0.light, [.turning(.it(.on))] + $0.setting.changes) }, by: ticket)
                let states = settings.map { light, setting in
                    DesiredState(light.id, power: .on, setting: setting.completed(for: light))
                }
                stack.set(states, transition, ticket, reply)
            } catch {
                reply(.failed(error))
            }
        }
    }
}

extension AppState {
    /// What each light of a target is to show; never empty.
    func settings(
        of application: Message.Lighting.Application, on target: Target
    ) throws(Failure) -> [(light: Light, setting: Light.Setting)] {
        switch application {
        case let .values(setting): return try lights(of: target, ableTo: setting).map { ($0, setting) }
        case let .mean(brightness):
            let able = try lights(of: target, ableTo: .bri(brightness))
            let lit = able.filter { $0.power == .on }
            guard !lit.isEmpty else { return able.map { ($0, .bri(brightness)) } }
            // What a lamp without power shows is seen by nobody, so it does not count; it follows the others.
            let seen = lit.filter { !$0.isDark }
            let scale = LevelScale((seen.isEmpty ? lit : seen).map(\.brightness), mean: brightness)
            return lit.map { ($0, .bri(scale.level(of: $0.brightness))) }
        }
    }
}

/// Brings the mean of levels to another one by a common factor. Levels that would exceed full brightness are full, and
/// the factor of the others is greater for it.
private struct LevelScale {
    /// Some lamps go dark at their lowest level (openhab/openhab-addons#21057), so none gets darker than one point above
    /// it. Counted as that, it has a ratio to the others.
    private static let lowest = 0.01

    private let factor: Double

    /// - Parameters:
    ///   - levels: 0…1, at least one.
    ///   - mean: 0…1.
    init(_ levels: [Double], mean: Double) {
        var rising = levels.map { max($0, Self.lowest) }.sorted()
        var (sum, rest) = (rising.reduce(0, +), mean.heldToUnit * Double(levels.count))
        // The brightest reaches the end first, and what it cannot take is left to the others.
        while let brightest = rising.last, rising.count > 1, brightest * rest > sum {
            rising.removeLast()
            (sum, rest) = (sum - brightest, rest - 1)
        }
        factor = rest / sum
    }

    func level(of level: Double) -> Double { min(max(max(level, Self.lowest) * factor, Self.lowest), 1) }
}

extension Light.Setting {
    /// A lamp needs a whole colour: what the setting leaves out is taken from what the lamp shows now.
    fileprivate func completed(for light: Light) -> Self {
        switch self {
        case .hsb(nil, nil, let brightness?): .bri(brightness)
        case let .hsb(hue, saturation, brightness):
            .hsb(hue: hue ?? light.hue, saturation: saturation ?? light.saturation, brightness: brightness)
        case .ct, .bri: self
        }
    }
}
