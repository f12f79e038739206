import ControlProtocol
import Testing

@testable import lightctl

/// What `bind` says, and the list of what is bound.
@Suite struct BindingTextTests {
    private static let dial = BindingBody(
        id: "b/d", name: "Dial Living", target: "@b/r", targetName: "@Living", scenes: ["Bright", "Relax"],
        controls: [.init(control: "button 1", does: "'Bright'; held: off"), .init(control: "dial", does: "brighter")])
    private static let gone = BindingBody(
        id: "b/s", name: "Dimmer", target: "@b/x", targetName: "@Hall", problem: "@Hall no longer exists")

    @Test func `bind says what each control does, and whom else to ask`() {
        #expect(
            BindingText.bound(Self.dial) == """
                Dial Living: bound to @Living
                  button 1  'Bright'; held: off
                  dial      brighter
                if the maker's app has set it up too, both act: remove it there
                """)
    }

    @Test func `bindings are listed with what is wrong with them`() {
        #expect(
            Lists.bindings([Self.dial, Self.gone], on: .pipe).split(separator: "\n") == [
                "Dial Living\t@Living\tBright, Relax\t-\tb/d\t@b/r",
                "Dimmer\t@Hall\t-\t@Hall no longer exists\tb/s\t@b/x",
            ])
        let lines = Lists.bindings([Self.dial, Self.gone], on: .screen(120)).split(separator: "\n")
        #expect(lines.first?.split(separator: " ") == ["SWITCH", "CONTROLS", "SCENES", "PROBLEM"])
        #expect(lines.last?.contains("@Hall no longer exists") == true)
        #expect(Lists.bindings([], on: .screen()) == "no switch is bound")
        #expect(Lists.bindings([], on: .pipe).isEmpty)
    }
}
