import Testing

@testable import SimulatedBridge

@Suite struct QuirkTests {
    @Test(arguments: [
        Quirk.unlimited, .http1, .noButton, .inFlight(5), .lightsPerSecond(20), .groupsPerSecond(2), .latency(0),
        .latency(250),
    ]) func `what a quirk says of itself is how it is asked for`(quirk: Quirk) throws {
        #expect(try Quirk(quirk.description) == quirk)
    }

    @Test(arguments: [
        "", "nonsense", "unlimited:1", "http1:yes", "in-flight", "in-flight:0", "in-flight:many", "latency:-1", ":5",
    ])
    func `what is no quirk is refused, and the known ones are told`(text: String) {
        #expect(throws: QuirkError(text: text)) { try Quirk(text) }
        let words = QuirkError(text: text).description
        for name in [
            "unlimited", "http1", "no-button", "in-flight:N", "lights-per-second:N", "groups-per-second:N", "latency:",
        ] {
            #expect(words.contains(name))
        }
    }
}
