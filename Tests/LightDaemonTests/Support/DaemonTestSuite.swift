import Testing

/// Tests that start daemons, one after the other: they measure times, and two cores have enough to do with one.
@Suite(.serialized, .timeLimit(.minutes(5))) enum DaemonTestSuite {}

/// The shortest of some tries: what the program takes, without what the machine did beside.
func fastest(of tries: Int = 3, _ body: () async throws -> Duration) async throws -> Duration {
    var best = try await body()
    for _ in 1..<tries where best >= .milliseconds(500) { best = min(best, try await body()) }
    return best
}
