/// What one bridge is asked to bear. Bridges take about ten light commands and one group command a second from all their clients
/// together (home-assistant/core#62162, peter-murray/node-hue-api), and refuse a fourth request in flight (home-assistant-libs/aiohue).
struct Budget: Equatable, Sendable {
    var lightsPerSecond = 10
    /// A group command is a broadcast to the whole mesh.
    var groupsPerSecond = 1
    /// Requests of every kind.
    var inFlight = 3
    /// How long a "second" is: a little more, because requests do not arrive as evenly spaced as they were sent.
    var second: Duration = .milliseconds(1050)
    /// How long lamps wait for one among them that is still being written to, to change together with it.
    var longestWait: Duration = .milliseconds(500)
    /// The pause when a bridge is overloaded: doubled each time up to the longest.
    var firstPause: Duration = .milliseconds(250)
    var longestPause: Duration = .seconds(4)
}
