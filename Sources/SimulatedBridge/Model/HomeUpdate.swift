/// Changes of the home, and the radio messages that carry them to the lamps.
struct HomeUpdate: Equatable, Sendable {
    var changes: [SimulatedHome.Change] = []
    var radio: [RadioMessage] = []
}
