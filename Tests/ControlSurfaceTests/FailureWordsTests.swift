import ControlProtocol
import ControlSurface
import Khipu
import Lighting
import LightingTestKit
import Testing

/// A failed command in the words of the control API.
@Suite struct FailureWordsTests {
    @Test(arguments: [
        (
            Failure.unreachable(.sample, because: "timed out"), ErrorCode.bridgeUnreachable,
            "cannot reach bridge 'Study bridge' (timed out)",
            "check that the bridge is powered and on this network" as String?
        ),
        (.refused(by: .sample, words: "no"), .refused, "bridge 'Study bridge' refused: no", nil),
        (.unconfirmed(by: .sample, words: "?"), .unconfirmed, "bridge 'Study bridge' could not confirm it: ?", nil),
        (
            .notPaired, .notPaired, "no bridge is paired yet",
            "run 'lightctl pair' and press the bridge's link button"
        ),
        (
            .keyRefused(by: .sample), .keyRefused, "bridge 'Study bridge' no longer accepts lightd's key",
            "run 'lightctl pair ecb5fafffe010203' and press its link button"
        ),
        (
            .certificateRefused(of: .sample, because: "other"), .certificateRefused,
            "bridge 'Study bridge' showed a certificate that is not its own (other); nothing was sent to it",
            "if the bridge was reset, run 'lightctl pair ecb5fafffe010203' to trust its new certificate; if another has taken "
                + "its place, run 'lightctl pair', then 'lightctl forget ecb5fafffe010203'"
        ),
        (
            .whichBridge([.sample]), .whichBridge, "several bridges were found: ecb5fafffe010203",
            "name one of them: 'lightctl pair ID'"
        ),
        (
            .noBridgeCalled("nope", found: ["Flat (ecb5fafffe010203)"]), .noSuchTarget,
            "no bridge is called 'nope'; found: Flat (ecb5fafffe010203)", nil
        ),
        (.notSaved(because: "full"), .notSaved, "it could not be saved: full", nil),
        (.noLights(in: .room(HomeFixture.study.id)), .noSuchTarget, "there are no lights in @Study", nil),
    ])
    func `a failure has its code, its message and its remedy`(
        failure: Failure, code: ErrorCode, message: String, hint: String?
    ) async throws {
        try await SurfaceFixture.run { surface in
            surface.home.stack.end(with: .failed(failure))
            let error = try #require(await surface.error(of: .turn(to: .on, target: "@kitchen")))
            #expect(error.code == code && error.message == message && error.hint == hint)
        }
    }

    @Test func `the bridge's own words come beside those in the home's names, for the whole and for a part`()
        async throws
    {
        try await SurfaceFixture.run { surface in
            let failure = Failure.unconfirmed(
                by: .sample, words: BridgeWords("'Sink' has issues", raw: "device (light) 1a2b has issues"))
            for (outcome, target) in [
                (failure, "sink"), (.partly([.init(.light(HomeFixture.sink.id), failure)], of: 3), "@kitchen"),
            ] {
                surface.home.stack.end(with: .failed(outcome))
                let error = try #require(await surface.error(of: .turn(to: .on, target: target)))
                let (message, raw) =
                    error.parts.map { ($0[0].message, $0[0].bridgeWords) } ?? (error.message, error.bridgeWords)
                #expect(message == "bridge 'Study bridge' could not confirm it: 'Sink' has issues")
                #expect(raw == "device (light) 1a2b has issues")
            }
        }
    }

    @Test func `a part that failed has its light's name and its own words`() async throws {
        try await SurfaceFixture.run { surface in
            let parts = [
                Failure.Part(.light(HomeFixture.sink.id), .unreachable(.sample, because: "timed out")),
                .init(.light(HomeFixture.stove.id), .refused(by: .sample, words: "no")),
            ]
            surface.home.stack.end(with: .failed(.partly(parts, of: 3)))
            let error = try #require(await surface.error(of: .turn(to: .on, target: "@kitchen")))
            #expect(error.code == .partly && error.message == "2 of 3 failed")
            #expect(error.hint == "check that the bridge is powered and on this network")
            #expect(
                error.parts == [
                    .init(
                        target: "Sink", code: .bridgeUnreachable,
                        message: "cannot reach bridge 'Study bridge' (timed out)"),
                    .init(target: "Stove", code: .refused, message: "bridge 'Study bridge' refused: no"),
                ])
        }
    }

    @Test func `a bridge with a refused certificate is listed with the way to trust it again`() async throws {
        let failure = Failure.certificateRefused(of: .sample, because: "another key")
        let state = AppState.make(bridges: [.make(connection: .lost(since: .sample, because: failure))])
        try await SurfaceFixture.run(in: state) { surface in
            let reason = surface.surface.directory.bridgeBodies.first?.reason
            #expect(reason?.contains("run 'lightctl pair ecb5fafffe010203'") == true)
        }
    }
}
