import HueWire
import TestSupport

@testable import SimulatedBridge

extension SplitMix {
    /// A random change of a home, as clients, people and scenes make it.
    mutating func change(of home: SimulatedHome) -> SimulatedHome.Change {
        switch Int.random(in: 0..<8, using: &self) {
        case 0: return .recalling(.scene(home.scenes.randomElement(using: &self)!.id))
        case 1:
            return .updating(
                .group(home.groups.dropLast().randomElement(using: &self)!.id, by: [.renaming(.it(to: word()))]))
        case 2:
            return .updating(.scene(home.scenes.randomElement(using: &self)!.id, by: [.renaming(.it(to: word()))]))
        default:
            let lamp = home.lamps.randomElement(using: &self)!
            return .updating(
                .lamp(lamp.id, by: (0...Int.random(in: 0..<3, using: &self)).map { _ in change(of: lamp) }))
        }
    }

    mutating func change(of lamp: Lamp) -> Lamp.Change {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: return .renaming(.it(to: word()))
        case 1: return .turning(.it(on: Bool.random(using: &self)))
        case 2: return .setting(.level(to: Int.random(in: 1...254, using: &self)))
        case 3: return .cutting(.mains)
        case 4: return .powering(.up)
        default:
            if let gamut = lamp.kind.gamut, Bool.random(using: &self) || lamp.kind.whites == nil {
                let point = XY(x: .random(in: 0...1, using: &self), y: .random(in: 0...1, using: &self))
                return .setting(.tint(to: .color(gamut.triangle.held(point))))
            }
            guard let whites = lamp.kind.whites else { return .turning(.it(on: true)) }
            return .setting(.tint(to: .white(mirek: .random(in: whites.minimum...whites.maximum, using: &self))))
        }
    }

    private mutating func word() -> String { "Name \(Int.random(in: 0..<1000, using: &self))" }
}
