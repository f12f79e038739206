import ControlProtocol
import Testing

@testable import lightctl

/// What `forget` says before it asks, and with --dry-run.
@Suite struct ForgetTextTests {
    private static let bindings = [
        BindingBody(id: "b1/d", name: "Dial", target: "@b1/r", targetName: "@Living"),
        BindingBody(id: "b1/s", name: "Dimmer", target: "all", targetName: "all"),
        BindingBody(id: "b2/s", name: "Button", target: "@b1/r", targetName: "@Living"),
        BindingBody(id: "b2/t", name: "Other", target: "all", targetName: "all"),
    ]

    @Test func `it says which bindings go with the bridge, and which have nothing left to control`() throws {
        let bridges = [BridgeBody.make("b1"), .make("b2")]
        let forgotten = try ForgottenBridge("B1", among: bridges, Self.bindings)
        #expect(
            forgotten.lines == [
                "Home (b1) would be forgotten, with its key and 3 lights",
                "with it would go the bindings of Dial (@Living) and Dimmer (all)",
                "nothing would be left to control for the binding of Button (@Living)",
            ])
        #expect(forgotten.lost == "gone with it: the bindings of Dial (@Living) and Dimmer (all)")
        #expect(try ForgottenBridge("b2", among: bridges, []).lines.count == 1)
    }

    @Test(arguments: [("home", ErrorCode.ambiguousTarget), ("hom", .noSuchTarget)])
    func `a name that is no bridge's, or that of several, is not guessed at`(name: String, code: ErrorCode) {
        let error = #expect(throws: ErrorReply.self) {
            try ForgottenBridge(name, among: [.make("b1"), .make("b2")], Self.bindings)
        }
        #expect(error?.error.code == code)
    }
}
