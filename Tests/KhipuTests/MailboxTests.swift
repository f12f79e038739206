import Khipu
import Testing

@DomainActor
struct MailboxTests {
    @Test func `messages are delivered in order of arrival`() async {
        let mailbox = Mailbox<Int>()
        for number in 1...1000 { mailbox.post(number) }
        mailbox.close()

        let heard = Heard<Int>()
        await mailbox.deliver(to: heard.input)

        #expect(heard.messages == Array(1...1000))
    }

    @Test func `an answer never overtakes its question, however late in the list one listens`() async {
        let mailbox = Mailbox<String>()
        let last = Heard<String>()
        let asked: Input<String> = { if $0 == "question" { mailbox.post("answer") } }
        let listening: Input<String> = { message in
            last.add(message)
            if message == "answer" { mailbox.close() }
        }
        let domain = makeAppDomain(features: [asked], receivers: [listening])
        mailbox.post("question")
        await mailbox.deliver(to: domain)

        #expect(last.messages == ["question", "answer"])
    }

    @Test func `what each of many threads posts stays in its own order`() async {
        let mailbox = Mailbox<[Int]>()
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask { for number in 0..<200 { mailbox.post([thread, number]) } }
            }
        }
        mailbox.close()
        let heard = Heard<[Int]>()
        await mailbox.deliver(to: heard.input)

        #expect(heard.messages.count == 1600)
        for thread in 0..<8 {
            #expect(heard.messages.filter { $0[0] == thread }.map { $0[1] } == Array(0..<200))
        }
    }

    @Test func `a closed mailbox takes nothing more`() async {
        let mailbox = Mailbox<Int>()
        mailbox.post(1)
        mailbox.close()
        mailbox.post(2)
        let heard = Heard<Int>()
        await mailbox.deliver(to: heard.input)

        #expect(heard.messages == [1])
    }
}

/// Collects what it hears.
@DomainActor
final class Heard<Message: Sendable> {
    private(set) var messages: [Message] = []
    func add(_ message: Message) { messages.append(message) }
    var input: Input<Message> { { self.add($0) } }
}
