import FoundationEssentials

// Data: how it is done. The format of the service is mapped to the model here.

struct TodoEntity: Codable, Equatable, Sendable {
    let id: Int
    let title: String
    let completed: Bool

    var todo: Todo { Todo(id: id, title: title, isCompleted: completed) }
}

protocol TodoDataSource: Sendable {
    func entities() throws(DataSourceError) -> [TodoEntity]
}

enum DataSourceError: Error, Equatable, Sendable {
    case request, status(Int), decoding
}

/// A web service that answers with a status and a body.
struct TodoService: TodoDataSource {
    let fetch: @Sendable () -> (status: Int, body: String)?

    func entities() throws(DataSourceError) -> [TodoEntity] {
        guard let answer = fetch() else { throw .request }
        guard answer.status == 200 else { throw .status(answer.status) }
        do {
            return try JSONDecoder().decode([TodoEntity].self, from: Data(answer.body.utf8))
        } catch {
            throw .decoding
        }
    }
}

struct ServiceTodoRepository: TodoRepository {
    let source: any TodoDataSource

    func todos(reply: @escaping @Sendable (Result<[Todo], TodoError>) -> Void) {
        do {
            reply(.success(try source.entities().map(\.todo)))
        } catch {
            switch error {
            case .decoding: reply(.failure(.decoding))
            case .request, .status: reply(.failure(.network))
            }
        }
    }
}
