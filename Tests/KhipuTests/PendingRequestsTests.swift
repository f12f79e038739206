import Khipu
import Testing

private enum Note: Ticketed, Equatable, Sendable {
    case ask(String, Ticket)
    case asking(String, Ticket)
    /// Follows the response.
    case done(Ticket)

    var ticket: Ticket {
        switch self {
        case let .ask(_, ticket), let .asking(_, ticket), let .done(ticket): ticket
        }
    }

    var isResponse: Bool { if case .asking = self { true } else { false } }
    var isDone: Bool { if case .done = self { true } else { false } }
}

@DomainActor
struct PendingRequestsTests {
    private let time = Timestamp(milliseconds: 1000)

    @Test func `two callers with the same command each get their own response`() async {
        let mailbox = Mailbox<Note>()
        let requests = PendingRequests<Note>(post: mailbox.post)
        // Responds in reverse order, and to each differently.
        let commands = Recorder<Note>()
        let feature: Input<Note> = { message in
            guard case let .ask(words, _) = message else { return }
            commands.add(message)
            guard commands.messages.count == 2 else { return }
            for command in commands.messages.reversed() {
                mailbox.post(.asking("\(words) \(command.ticket.holder)", command.ticket))
            }
        }
        let domain = makeAppDomain(features: [feature], receivers: [requests.receiver])

        async let first = requests.send(holder: "anna", at: time) { .ask("light", $0) }
        async let second = requests.send(holder: "ben", at: time) { .ask("light", $0) }
        async let delivery: Void = mailbox.deliver(to: domain)
        let answers = await (first, second)
        mailbox.close()
        await delivery

        guard case .asking("light anna", let one)? = answers.0, case .asking("light ben", let other)? = answers.1 else {
            Issue.record("a caller did not get its own response: \(answers)")
            return
        }
        #expect(one != other)
        #expect(requests.count == 0)
    }

    @Test func `a cancelled caller gets nil, and its command is still posted`() async {
        let mailbox = Mailbox<Note>()
        let requests = PendingRequests<Note>(post: mailbox.post)
        let caller = Task { await requests.send(holder: "anna", at: time) { .ask("light", $0) } }
        let posted = Recorder<Note>()
        let delivery = Task {
            await mailbox.deliver { message in
                posted.add(message)
                caller.cancel()
            }
        }
        #expect(await caller.value == nil)
        mailbox.close()
        await delivery.value
        #expect(posted.messages.count == 1)
        #expect(requests.count == 0)
    }

    @Test func `a caller that leaves withdraws its command, if that is possible`() async {
        let mailbox = Mailbox<Note>()
        let requests = PendingRequests<Note>(post: mailbox.post)
        let caller = Task {
            await requests.send(holder: "anna", at: time, withdrawal: { .ask("never mind", $0) }) { .ask("light", $0) }
        }
        let posted = Recorder<Note>()
        let delivery = Task {
            await mailbox.deliver { message in
                posted.add(message)
                caller.cancel()
            }
        }
        #expect(await caller.value == nil)
        mailbox.close()
        await delivery.value
        #expect(posted.messages.count == 2)
        #expect(Set(posted.messages.map(\.ticket)).count == 1)
    }

    @Test func `closing ends every wait`() async {
        let mailbox = Mailbox<Note>()
        let requests = PendingRequests<Note>(post: mailbox.post)
        async let answer = requests.send(holder: "anna", at: time) { .ask("light", $0) }
        while requests.count == 0 { await Task.yield() }
        requests.close()
        #expect(await answer == nil)
    }

    @Test func `following collects every message with the ticket, in order, until the last one`() async {
        let mailbox = Mailbox<Note>()
        let requests = PendingRequests<Note>(post: mailbox.post)
        let feature: Input<Note> = { message in
            guard case let .ask(words, ticket) = message else { return }
            let other = Ticket(number: 99, holder: "ben", time: ticket.time)
            mailbox.post(.asking(words, ticket))
            mailbox.post(.done(other))
            mailbox.post(.done(ticket))
            mailbox.post(.asking("too late", ticket))
        }
        let domain = makeAppDomain(features: [feature], receivers: [requests.receiver])

        async let messages = requests.messages(for: "anna", at: time, until: \.isDone) { .ask("light", $0) }
        async let delivery: Void = mailbox.deliver(to: domain)
        let received = await messages
        mailbox.close()
        await delivery

        let ticket = Ticket(number: 1, holder: "anna", time: time)
        #expect(received == [.ask("light", ticket), .asking("light", ticket), .done(ticket)])
        #expect(requests.count == 0)
    }

    @Test(arguments: [true, false])
    func `a caller whose last message never comes returns when it is cancelled or the requests are closed`(
        cancels: Bool
    ) async {
        let mailbox = Mailbox<Note>()
        let requests = PendingRequests<Note>(post: mailbox.post)
        let caller = Task { await requests.messages(for: "anna", at: time, until: \.isDone) { .ask("light", $0) } }
        let delivery = Task {
            await mailbox.deliver { message in
                requests.receiver(message)
                // Gets a response, and never the last message.
                if case let .ask(words, ticket) = message { mailbox.post(.asking(words, ticket)) }
                guard message.isResponse else { return }
                if cancels { caller.cancel() } else { requests.close() }
            }
        }
        #expect(await caller.value == nil)
        mailbox.close()
        await delivery.value
        #expect(requests.count == 0)
    }

    @Test func `tickets are numbered from the first number on, without repeats`() {
        let requests = PendingRequests<Note>(firstNumber: 41) { _ in }
        let tickets = (0..<100).map { _ in requests.issue(to: "anna", at: time) }
        #expect(tickets.map(\.number) == Array(41..<141))
        #expect(tickets.allSatisfy { !$0.isUnasked && $0.holder == "anna" && $0.time == time })
    }
}
