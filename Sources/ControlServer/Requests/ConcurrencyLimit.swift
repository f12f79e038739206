import Synchronization

/// Bounds how many requests of one kind are under way at once, and how many of them one client has.
final class ConcurrencyLimit<Client: Hashable & Sendable>: Sendable {
    /// Counts as one until it is released.
    final class Permit: Sendable {
        private let limit: ConcurrencyLimit
        private let client: Client?

        fileprivate init(_ limit: ConcurrencyLimit, _ client: Client?) {
            self.limit = limit
            self.client = client
        }

        deinit { limit.leave(client) }
    }

    /// Which limit is reached.
    enum Refusal: Error, Equatable {
        case all
        case ofClient
    }

    private let counts = Mutex<(all: Int, clients: [Client: Int])>((0, [:]))
    let maximum: Int
    let maximumOfClient: Int

    /// - Parameter maximumOfClient: at most `maximum`, which is what it is if absent.
    init(_ maximum: Int, ofClient maximumOfClient: Int? = nil) {
        self.maximum = maximum
        self.maximumOfClient = maximumOfClient ?? maximum
    }

    /// - Parameter client: `nil` if it counts with all only.
    func enter(_ client: Client? = nil) throws(Refusal) -> Permit {
        let refusal: Refusal? = counts.withLock { counts in
            guard counts.all < maximum else { return .all }
            if let client {
                guard counts.clients[client, default: 0] < maximumOfClient else { return .ofClient }
                counts.clients[client, default: 0] += 1
            }
            counts.all += 1
            return nil
        }
        if let refusal { throw refusal }
        return Permit(self, client)
    }

    private func leave(_ client: Client?) {
        counts.withLock { counts in
            counts.all -= 1
            guard let client, let count = counts.clients[client] else { return }
            counts.clients[client] = count > 1 ? count - 1 : nil
        }
    }
}
