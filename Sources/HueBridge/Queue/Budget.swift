/// How much one bridge is asked to do. Bridges take about ten light commands and one group command a second from all
/// their clients together (home-assistant/core#62162, peter-murray/node-hue-api), and refuse a fourth concurrent
/// request (home-assistant-libs/aiohue).
struct Budget: Equatable, Sendable {
    var lightsPerSecond = 10
    /// A group command is a broadcast to the whole mesh.
    var groupsPerSecond = 1
    /// Concurrent requests of every kind.
    var inFlight = 3
    /// The length of a "second": slightly longer, because requests do not arrive as evenly spaced as they were sent.
    var second: Duration = .milliseconds(1050)
    /// How long a group command waits for a member that is still being written to, so that all its lights change
    /// together.
    var longestWait: Duration = .milliseconds(500)
    /// How long a read waits for writes until it gets its turn. Small enough that the audit of a bridge that is never
    /// left alone is done in time, and long enough that a burst of writes goes first.
    var longestReadWait: Duration = .seconds(1)
    /// The pause when a bridge is overloaded: doubled each time, up to the longest.
    var firstPause: Duration = .milliseconds(250)
    var longestPause: Duration = .seconds(4)
}
