import Khipu
import Testing

/// Two domains with a language each, joined under a wider one.
@DomainActor
struct JoinedDomainsTests {
    private enum Doorbell: Equatable, Sendable { case ring, rung }
    private enum Lamp: Equatable, Sendable { case flash, flashed }

    private enum Home: Equatable, Sendable {
        case doorbell(Doorbell)
        case lamp(Lamp)
    }

    private func createDoorbell(_ output: @escaping Output<Doorbell>) -> Input<Doorbell> {
        { if $0 == .ring { output(.rung) } }
    }

    private func createLamp(_ output: @escaping Output<Lamp>) -> Input<Lamp> {
        { if $0 == .flash { output(.flashed) } }
    }

    @Test func `each domain receives its own language and responds in the wide one`() async {
        let mailbox = Mailbox<Home>()
        let recorder = Recorder<Home>()
        // Joins the two: the doorbell makes the lamp flash.
        let binding: Input<Home> = { if $0 == .doorbell(.rung) { mailbox.post(.lamp(.flash)) } }
        let receiver: Input<Home> = { message in
            recorder.add(message)
            if message == .lamp(.flashed) { mailbox.close() }
        }
        let home = makeAppDomain(
            features: [
                joined(
                    createDoorbell, to: mailbox.post,
                    narrowing: { if case let .doorbell(doorbell) = $0 { doorbell } else { nil } },
                    widening: Home.doorbell
                ),
                joined(
                    createLamp, to: mailbox.post,
                    narrowing: { if case let .lamp(lamp) = $0 { lamp } else { nil } }, widening: Home.lamp
                ),
                binding,
            ],
            receivers: [receiver]
        )
        mailbox.post(.doorbell(.ring))
        await mailbox.deliver(to: home)

        #expect(recorder.messages == [.doorbell(.ring), .doorbell(.rung), .lamp(.flash), .lamp(.flashed)])
    }

    @Test func `a domain does not receive what is not addressed to it`() {
        let recorder = Recorder<Lamp>()
        let lamp: Input<Home> = joined(
            { _ in recorder.input }, to: { _ in },
            narrowing: { if case let .lamp(lamp) = $0 { lamp } else { nil } }, widening: Home.lamp
        )
        lamp(.doorbell(.ring))
        lamp(.lamp(.flash))
        #expect(recorder.messages == [.flash])
    }
}
