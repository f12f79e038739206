import Khipu
import Testing

@DomainActor
struct MailboxTests {
    @Test func `messages are delivered in order of arrival`() async {
        let mailbox = Mailbox<Int>()
        for number in 1...1000 { mailbox.post(number) }
        mailbox.close()

        let recorder = Recorder<Int>()
        await mailbox.deliver(to: recorder.input)

        #expect(recorder.messages == Array(1...1000))
    }

    @Test func `a response never overtakes its command, even for a receiver late in the list`() async {
        let mailbox = Mailbox<String>()
        let last = Recorder<String>()
        let feature: Input<String> = { if $0 == "command" { mailbox.post("response") } }
        let receiver: Input<String> = { message in
            last.add(message)
            if message == "response" { mailbox.close() }
        }
        let domain = makeAppDomain(features: [feature], receivers: [receiver])
        mailbox.post("command")
        await mailbox.deliver(to: domain)

        #expect(last.messages == ["command", "response"])
    }

    @Test func `the messages of each of many threads stay in order`() async {
        let mailbox = Mailbox<[Int]>()
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask { for number in 0..<200 { mailbox.post([thread, number]) } }
            }
        }
        mailbox.close()
        let recorder = Recorder<[Int]>()
        await mailbox.deliver(to: recorder.input)

        #expect(recorder.messages.count == 1600)
        for thread in 0..<8 {
            #expect(recorder.messages.filter { $0[0] == thread }.map { $0[1] } == Array(0..<200))
        }
    }

    @Test func `a closed mailbox accepts no more messages`() async {
        let mailbox = Mailbox<Int>()
        mailbox.post(1)
        mailbox.close()
        mailbox.post(2)
        let recorder = Recorder<Int>()
        await mailbox.deliver(to: recorder.input)

        #expect(recorder.messages == [1])
    }
}

/// Collects every message.
@DomainActor
final class Recorder<Message: Sendable> {
    private(set) var messages: [Message] = []
    func add(_ message: Message) { messages.append(message) }
    var input: Input<Message> { { self.add($0) } }
}
