import Khipu
import Testing

/// The todo app from the article on clean architecture for SwiftUI: repository, data source, entity, model, use case,
/// and the view model that shows the result.
@DomainActor
struct TodoTests {
    @DomainActor
    private final class TodoListViewModel {
        private(set) var todos: [Todo] = []
        private(set) var error: TodoError?

        var input: Input<TodoMessage> {
            { message in
                switch message {
                case .get: self.error = nil
                case let .got(todos, _): self.todos = todos
                case let .failed(error, _): (self.todos, self.error) = ([], error)
                }
            }
        }
    }

    private func show(_ answer: (status: Int, body: String)?) async -> TodoListViewModel {
        let mailbox = Mailbox<TodoMessage>()
        let ticket = Ticket(number: 1, holder: "screen", time: Timestamp(milliseconds: 0))
        let screen = TodoListViewModel()
        let repository = ServiceTodoRepository(source: TodoService { answer })
        let domain = makeAppDomain(
            features: [createTodoFeature(repository: repository, output: mailbox.post)], receivers: [screen.input]
        )
        mailbox.post(.get(ticket: ticket))
        let last: Input<TodoMessage> = { message in
            domain(message)
            if message != .get(ticket: ticket) { mailbox.close() }
        }
        await mailbox.deliver(to: last)
        return screen
    }

    @Test func `entities of the service become models on the screen`() async {
        let screen = await show(
            (200, #"[{"id":1,"title":"Milk","completed":false},{"id":2,"title":"Bread","completed":true}]"#))
        #expect(
            screen.todos == [
                Todo(id: 1, title: "Milk", isCompleted: false), Todo(id: 2, title: "Bread", isCompleted: true),
            ]
        )
        #expect(screen.error == nil)
    }

    @Test func `a body in another format is a decoding error`() async {
        #expect(await show((200, "<html>")).error == .decoding)
    }

    @Test func `no answer, or a status other than 200, is a network error`() async {
        #expect(await show(nil).error == .network)
        #expect(await show((503, "[]")).error == .network)
    }
}
