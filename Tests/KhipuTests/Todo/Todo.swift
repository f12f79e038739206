import Khipu

// Domain: what the application is about.

struct Todo: Identifiable, Equatable, Sendable {
    let id: Int
    let title: String
    let isCompleted: Bool
}

/// The gateway to wherever todos are stored.
protocol TodoRepository: Sendable {
    func todos(reply: @escaping @Sendable (Result<[Todo], TodoError>) -> Void)
}

enum TodoError: Error, Equatable, Sendable {
    case network, decoding
}

/// Gets the todos. A failure is a response like any other.
struct TodoGetter: UseCase {
    enum Request { case get }
    enum Response: Equatable, Sendable { case getting(Result<[Todo], TodoError>) }

    let repository: any TodoRepository
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case .get: repository.todos { [respond] in respond(.getting($0), ticket) }
        }
    }
}

enum TodoMessage: Equatable, Sendable {
    case get(ticket: Ticket)
    case got([Todo], ticket: Ticket)
    case failed(TodoError, ticket: Ticket)
}

@DomainActor
func createTodoFeature(repository: any TodoRepository, output: @escaping Output<TodoMessage>) -> Input<TodoMessage> {
    let getter = TodoGetter(repository: repository) { response, ticket in
        switch response {
        case let .getting(.success(todos)): output(.got(todos, ticket: ticket))
        case let .getting(.failure(error)): output(.failed(error, ticket: ticket))
        }
    }
    return { message in
        switch message {
        case let .get(ticket): getter.request(to: .get, ticket: ticket)
        case .got, .failed: break
        }
    }
}
