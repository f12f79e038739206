import HueWire
import Khipu

@testable import HueBridge

extension HomeMirror {
    /// As if nothing had been reported or sent since it was asked.
    mutating func load(_ everything: [Resource], at time: Timestamp, _ now: Duration = .zero) -> Effects {
        load(everything, askedAt: .seconds(1_000_000), at: time, now)
    }

    mutating func lose() { lose(at: .zero) }
}
