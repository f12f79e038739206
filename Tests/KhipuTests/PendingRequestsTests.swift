import Khipu
import Testing

private enum Talk: Ticketed, Equatable, Sendable {
    case ask(String, Ticket)
    case asking(String, Ticket)
    /// After the answer.
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

    @Test func `two callers with the same command each get their own outcome`() async {
        let mailbox = Mailbox<Talk>()
        let requests = PendingRequests<Talk>(post: mailbox.post)
        // Answers in the reverse order of asking, and each differently.
        let held = Heard<Talk>()
        let feature: Input<Talk> = { message in
            guard case let .ask(words, _) = message else { return }
            held.add(message)
            guard held.messages.count == 2 else { return }
            for question in held.messages.reversed() {
                mailbox.post(.asking("\(words) \(question.ticket.holder)", question.ticket))
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
            Issue.record("each caller wants its own answer, not \(answers)")
            return
        }
        #expect(one != other)
        #expect(requests.count == 0)
    }

    @Test func `a caller that is cancelled goes with nil, and its command runs on`() async {
        let mailbox = Mailbox<Talk>()
        let requests = PendingRequests<Talk>(post: mailbox.post)
        let caller = Task { await requests.send(holder: "anna", at: time) { .ask("light", $0) } }
        let posted = Heard<Talk>()
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

    @Test func `closing lets every caller go`() async {
        let mailbox = Mailbox<Talk>()
        let requests = PendingRequests<Talk>(post: mailbox.post)
        async let answer = requests.send(holder: "anna", at: time) { .ask("light", $0) }
        while requests.count == 0 { await Task.yield() }
        requests.close()
        #expect(await answer == nil)
    }

    @Test func `a caller who says what the last word is hears all that bears the ticket, in order, until then`() async {
        let mailbox = Mailbox<Talk>()
        let requests = PendingRequests<Talk>(post: mailbox.post)
        let feature: Input<Talk> = { message in
            guard case let .ask(words, ticket) = message else { return }
            let other = Ticket(number: 99, holder: "ben", time: ticket.time)
            mailbox.post(.asking(words, ticket))
            mailbox.post(.done(other))
            mailbox.post(.done(ticket))
            mailbox.post(.asking("too late", ticket))
        }
        let domain = makeAppDomain(features: [feature], receivers: [requests.receiver])

        async let words = requests.follow(holder: "anna", at: time, until: \.isDone) { .ask("light", $0) }
        async let delivery: Void = mailbox.deliver(to: domain)
        let heard = await words
        mailbox.close()
        await delivery

        let ticket = Ticket(number: 1, holder: "anna", time: time)
        #expect(heard == [.ask("light", ticket), .asking("light", ticket), .done(ticket)])
        #expect(requests.count == 0)
    }

    @Test(arguments: [true, false]) func `a last word that never comes holds nobody who is cancelled or let go`(
        cancels: Bool
    ) async {
        let mailbox = Mailbox<Talk>()
        let requests = PendingRequests<Talk>(post: mailbox.post)
        let caller = Task { await requests.follow(holder: "anna", at: time, until: \.isDone) { .ask("light", $0) } }
        let delivery = Task {
            await mailbox.deliver { message in
                requests.receiver(message)
                // Answered, and never done.
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

    @Test func `tickets are numbered from the first number on and never twice`() {
        let requests = PendingRequests<Talk>(firstNumber: 41) { _ in }
        let tickets = (0..<100).map { _ in requests.issue(to: "anna", at: time) }
        #expect(tickets.map(\.number) == Array(41..<141))
        #expect(tickets.allSatisfy { !$0.isUnasked && $0.holder == "anna" && $0.time == time })
    }
}
