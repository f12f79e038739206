import SimulatedBridge
import Testing

struct DisturbanceTests {
    @Test func `every fault of lightsim takes part in the chaos, or says why it does not`() {
        let part = Set(
            Disturbance.all.compactMap { disturbance -> FaultKind? in
                if case let .fault(kind, with: _) = disturbance { kind } else { nil }
            })
        for kind in FaultKind.allCases {
            #expect(part.contains(kind) != (Disturbance.left[kind] != nil), "\(kind.rawValue)")
        }
    }
}
