import Khipu
import Lighting
import LightingTestKit
import Testing

/// The cause of a light's state.
@DomainActor
struct CauseTests {
    private let desk = Light.make("desk", name: "Desk", power: .off)

    private func home() -> DomainFixture {
        DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
    }

    @Test func `a confirmed command is the cause, with its sender and time`() {
        let home = home()
        let ticket = home.send("lightctl (uid 1000)") {
            .lighting(.turn(.on, .light(desk.id), over: .usual), ticket: $0)
        }
        #expect(home.light(desk.id)?.cause == Cause(.command(ticket), at: ticket.time))
    }

    @Test func `a command that changed nothing is not the cause`() {
        let home = home()
        home.send(.turn(.off, .light(desk.id), over: .usual))
        #expect(home.light(desk.id)?.cause == desk.cause)
    }

    @Test(arguments: [.accessory("Dimmer"), .power, .scene(Scene.make().id, by: nil), nil] as [Cause.Kind?])
    func `a report has the cause that it names, otherwise elsewhere`(kind: Cause.Kind?) {
        let home = home()
        home.stack.tell(.light(desk.id, Light.Report(power: .on, source: kind)))
        home.settle()
        #expect(home.light(desk.id)?.cause == Cause(kind ?? .otherApp, at: home.clock.now))
        let cause = home.light(desk.id)?.cause
        home.wait(.seconds(5))
        home.stack.tell(.light(desk.id, Light.Report(power: .on)))
        home.settle()
        #expect(home.light(desk.id)?.cause == cause, "the same report again must not change the cause")
    }

    @Test func `what is kept for a lamp out of reach is nobody's doing, and no news for the journal`() {
        let home = home()
        home.stack.tell(.light(desk.id, Light.Report(reachable: false)))
        home.settle()
        let cause = home.light(desk.id)?.cause
        home.wait(.seconds(5))
        let update = BridgeUpdate.light(desk.id, Light.Report(LightPatch(), kept: Light.Kept(LightPatch(power: .on))))
        home.stack.tell(update)
        home.settle()
        #expect(home.light(desk.id)?.known.kept == LightPatch(power: .on))
        #expect(home.light(desk.id)?.cause == cause)
        #expect(!Message.lighting(.reported(update), ticket: .unasked(from: "bridge", at: .sample)).isJournaled)
    }

    @Test func `a recalled scene is the cause of its lights' states, with the sender of the recall`() {
        let scene = Scene(id: Scene.make().id, name: "Relax", lights: [desk.id])
        let home = DomainFixture(
            .make(lights: [desk], scenes: [scene]), stack: MemoryStack(lights: [desk], scenes: [scene]))
        let ticket = home.send(.recall(scene.id, over: .usual))
        #expect(home.light(desk.id)?.cause == Cause(.scene(scene.id, by: ticket), at: ticket.time))
    }
}
