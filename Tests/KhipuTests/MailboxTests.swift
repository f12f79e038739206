import Khipu
import Synchronization
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

    @Test func `who posts more only when the last was delivered has one waiting, however slow the loop is`() async {
        let mailbox = Mailbox<String>()
        let recorder = Recorder<String>()
        let posted = Mutex(0)
        let most = Mutex(0)
        // Every delivery looks how many of the flood wait, and brings a command from elsewhere.
        let input: Input<String> = { message in
            recorder.add(message)
            guard message == "event" else { return }
            let waiting = posted.withLock { posted in
                posted -= 1
                return posted + 1
            }
            most.withLock { $0 = max($0, waiting) }
            mailbox.post("command \(recorder.messages.count { $0 == "event" })")
        }
        async let flood: Void = {
            for _ in 0..<1000 {
                posted.withLock { $0 += 1 }
                mailbox.post("event")
                await mailbox.untilDelivered()
            }
            mailbox.close()
        }()
        await mailbox.deliver(to: input)
        await flood
        #expect(most.withLock(\.self) == 1)
        #expect(recorder.messages.filter { $0 != "event" } == (1...1000).map { "command \($0)" })
    }

    @Test func `nobody waits for a mailbox that is closed, nor after being cancelled`() async {
        let mailbox = Mailbox<Int>()
        mailbox.post(1)
        // No loop delivers it.
        let waiting = Task { await mailbox.untilDelivered() }
        waiting.cancel()
        await waiting.value
        mailbox.close()
        await mailbox.untilDelivered()
        let recorder = Recorder<Int>()
        await mailbox.deliver(to: recorder.input)
        #expect(recorder.messages == [1])
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
