import Khipu
import Testing

/// The todo application of the article on clean architecture for SwiftUI: repository, data source, entity, model, use case, and
/// the view model that shows what came of it.
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
                case let .got(todos): self.todos = todos
                case let .missed(error): (self.todos, self.error) = ([], error)
                }
            }
        }
    }

    private func show(_ answer: (status: Int, body: String)?) async -> TodoListViewModel {
        let mailbox = Mailbox<TodoMessage>()
        let screen = TodoListViewModel()
        let repository = ServiceTodoRepository(source: TodoService { answer })
        let domain = makeAppDomain(
            features: [createTodoFeature(repository: repository, output: mailbox.post)], receivers: [screen.input]
        )
        mailbox.post(.get)
        let last: Input<TodoMessage> = { message in
            domain(message)
            if message != .get { mailbox.close() }
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

    @Test func `a body that is none of ours is a decoding error`() async {
        #expect(await show((200, "<html>")).error == .decoding)
    }

    @Test func `no answer, and an answer other than 200, are errors of the network`() async {
        #expect(await show(nil).error == .network)
        #expect(await show((503, "[]")).error == .network)
    }
}
