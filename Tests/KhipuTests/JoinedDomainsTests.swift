import Khipu
import Testing

/// Two domains with languages of their own, joined under a wider one.
@DomainActor
struct JoinedDomainsTests {
    private enum Bell: Equatable, Sendable { case ring, rung }
    private enum Lamp: Equatable, Sendable { case flash, flashed }

    private enum House: Equatable, Sendable {
        case bell(Bell)
        case lamp(Lamp)
    }

    private func createBell(_ output: @escaping Output<Bell>) -> Input<Bell> {
        { if $0 == .ring { output(.rung) } }
    }

    private func createLamp(_ output: @escaping Output<Lamp>) -> Input<Lamp> {
        { if $0 == .flash { output(.flashed) } }
    }

    @Test func `each hears its own language and answers in the wide one`() async {
        let mailbox = Mailbox<House>()
        let heard = Heard<House>()
        // What binds the two: whoever rings makes the lamp flash.
        let binding: Input<House> = { if $0 == .bell(.rung) { mailbox.post(.lamp(.flash)) } }
        let listening: Input<House> = { message in
            heard.add(message)
            if message == .lamp(.flashed) { mailbox.close() }
        }
        let house = makeAppDomain(
            features: [
                joined(
                    createBell, to: mailbox.post,
                    narrowing: { if case let .bell(bell) = $0 { bell } else { nil } }, widening: House.bell
                ),
                joined(
                    createLamp, to: mailbox.post,
                    narrowing: { if case let .lamp(lamp) = $0 { lamp } else { nil } }, widening: House.lamp
                ),
                binding,
            ],
            receivers: [listening]
        )
        mailbox.post(.bell(.ring))
        await mailbox.deliver(to: house)

        #expect(heard.messages == [.bell(.ring), .bell(.rung), .lamp(.flash), .lamp(.flashed)])
    }

    @Test func `a domain that is not addressed hears nothing`() {
        let heard = Heard<Lamp>()
        let lamp: Input<House> = joined(
            { _ in heard.input }, to: { _ in },
            narrowing: { if case let .lamp(lamp) = $0 { lamp } else { nil } }, widening: House.lamp
        )
        lamp(.bell(.ring))
        lamp(.lamp(.flash))
        #expect(heard.messages == [.flash])
    }
}
