import Khipu

// Domain: what the application is about.

struct Todo: Identifiable, Equatable, Sendable {
    let id: Int
    let title: String
    let isCompleted: Bool
}

/// All that the domain asks of wherever todos are kept.
protocol TodoRepository: Sendable {
    func todos(reply: @escaping @Sendable (Result<[Todo], TodoError>) -> Void)
}

enum TodoError: Error, Equatable, Sendable {
    case network, decoding
}

/// Gets the todos, and answers with a result: a failure is a response like any other.
struct TodoGetter: UseCase {
    enum Request { case get }
    enum Response: Equatable, Sendable { case getting(Result<[Todo], TodoError>) }

    let repository: any TodoRepository
    let respond: Output<Response>

    func request(to request: Request) {
        switch request {
        case .get: repository.todos { [respond] in respond(.getting($0)) }
        }
    }
}

enum TodoMessage: Equatable, Sendable {
    case get
    case got([Todo])
    case missed(TodoError)
}

@DomainActor
func createTodoFeature(repository: any TodoRepository, output: @escaping Output<TodoMessage>) -> Input<TodoMessage> {
    let getter = TodoGetter(repository: repository) { response in
        switch response {
        case let .getting(.success(todos)): output(.got(todos))
        case let .getting(.failure(error)): output(.missed(error))
        }
    }
    return { message in
        switch message {
        case .get: getter.request(to: .get)
        case .got, .missed: break
        }
    }
}
