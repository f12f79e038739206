import NIOCore
import Testing

@testable import ControlServer

/// What a connection waits for. Time is handed in, in seconds.
@Suite struct ClientProgressTests {
    private static let start = NIODeadline.uptimeNanoseconds(0)

    private func at(_ seconds: Int64) -> NIODeadline { Self.start + .seconds(seconds) }

    private func progress() -> ClientProgress { ClientProgress(ConnectionTimeouts(), at: Self.start) }

    @Test func `a new connection is idle when it has had its time for a request, or its answer`() {
        var silent = progress()
        #expect(silent.standing == .new)
        silent.settle()
        #expect(silent.standing == .idle(isKnown: false))
        var busy = progress()
        busy.requestCame()
        busy.settle()
        #expect(busy.standing == .busy)
    }

    @Test func `a client has ten seconds for its first request, and a minute for the next`() {
        var progress = progress()
        #expect(progress.deadline == at(10))
        progress.requestCame()
        progress.becameKnown()
        #expect(progress.deadline == nil && progress.standing == .busy)
        progress.answered(.known, at: at(300))
        #expect(progress.deadline == at(360) && progress.standing == .idle(isKnown: true))
    }

    /// The client has read the answer before lightd has noted that it was sent.
    @Test(arguments: [ClientProgress.Client.visitor, .known])
    func `a request that comes before the end of the last answer is noted has no end itself`(
        client: ClientProgress.Client
    ) {
        var progress = progress()
        progress.requestCame()
        progress.requestCame()
        progress.answered(client, at: at(1))
        progress.becameKnown()
        #expect(progress.deadline == nil && progress.standing == .busy)
        progress.answered(.known, at: at(300))
        #expect(progress.deadline == at(360) && progress.standing == .idle(isKnown: true))
    }

    @Test func `a client without access has a second to read its only answer, whatever else it sends`() {
        var progress = progress()
        progress.requestCame()
        progress.answered(.stranger, at: at(1))
        #expect(progress.deadline == at(2) && progress.standing == .idle(isKnown: false))
        progress.requestCame()
        progress.answered(.known, at: at(2))
        #expect(progress.deadline == at(2) && progress.standing == .idle(isKnown: false))
    }

    @Test func `a client that is never known has twenty seconds, however slowly it reads and writes`() {
        var progress = progress()
        for second in 1...19 as ClosedRange<Int64> {
            progress.requestCame()
            progress.writeBegan(at: at(second))
            progress.writeWasTaken(at: at(second))
            progress.answered(.visitor, at: at(second))
            #expect(progress.deadline == min(at(second + 5), at(20)))
        }
        progress.requestCame()
        progress.writeBegan(at: at(19))
        #expect(progress.deadline == at(20))
        // One that signs in over the same connection keeps it.
        progress.becameKnown()
        progress.writeWasTaken(at: at(19))
        #expect(progress.deadline == nil && progress.standing == .busy)
        progress.answered(.stranger, at: at(400))
        #expect(progress.deadline == at(401))
    }

    /// While a client is new, those who are known do not give way.
    @Test func `a request that is refused takes nobody's place`() {
        var progress = progress()
        progress.requestCame()
        #expect(progress.standing == .new)
        progress.answered(.stranger, at: at(1))
        #expect(progress.standing == .idle(isKnown: false))
    }

    @Test func `a client that takes nothing for half a minute is given up`() {
        var progress = progress()
        progress.requestCame()
        progress.becameKnown()
        progress.writeBegan(at: at(100))
        progress.writeBegan(at: at(110))
        #expect(progress.deadline == at(130))
        // A slow client that takes something now and then is waited for.
        progress.writeWasTaken(at: at(129))
        #expect(progress.deadline == at(159) && progress.standing == .busy)
        progress.writeWasTaken(at: at(140))
        #expect(progress.deadline == nil)
    }

    @Test func `a connection is idle only when its answer was taken`() {
        var progress = progress()
        progress.requestCame()
        progress.becameKnown()
        progress.writeBegan(at: at(1))
        progress.answered(.known, at: at(1))
        #expect(progress.standing == .busy && progress.deadline == at(31))
        progress.writeWasTaken(at: at(2))
        #expect(progress.standing == .idle(isKnown: true) && progress.deadline == at(61))
    }
}
