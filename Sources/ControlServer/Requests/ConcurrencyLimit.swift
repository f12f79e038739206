import Synchronization

/// Bounds how many requests of one kind are under way at once, and how many of them one client has. A large one may count
/// as several.
final class ConcurrencyLimit<Client: Hashable & Sendable>: Sendable {
    /// Counts until it is released.
    final class Permit: Sendable {
        private let limit: ConcurrencyLimit
        private let client: Client?
        private let weight: Int

        fileprivate init(_ limit: ConcurrencyLimit, _ client: Client?, _ weight: Int) {
            self.limit = limit
            self.client = client
            self.weight = weight
        }

        deinit { limit.leave(client, weight) }
    }

    private let counts = Mutex<(all: Int, clients: [Client: Int])>((0, [:]))
    private let maximum: Int
    private let maximumOfClient: Int

    /// - Parameter maximumOfClient: at most `maximum`, which is what it is if absent.
    init(_ maximum: Int, ofClient maximumOfClient: Int? = nil) {
        self.maximum = maximum
        self.maximumOfClient = maximumOfClient ?? maximum
    }

    /// - Parameters:
    ///   - client: `nil` if it counts with all only.
    ///   - weight: as how many it counts.
    ///   - words: say of so many requests what they do: "streams are open".
    ///   - clientWords: the same of one client's: "streams are open with this token".
    /// - Throws: 503, with the limit that is reached.
    func enter(
        _ client: Client?, weight: Int = 1, _ words: String, ofClient clientWords: String? = nil
    ) throws(APIError) -> Permit {
        let reached: String? = counts.withLock { counts in
            guard counts.all + weight <= maximum else { return "\(maximum) \(words)" }
            if let client {
                guard counts.clients[client, default: 0] + weight <= maximumOfClient else {
                    return "\(maximumOfClient) \(clientWords ?? words)"
                }
                counts.clients[client, default: 0] += weight
            }
            counts.all += weight
            return nil
        }
        if let reached { throw .busy(reached) }
        return Permit(self, client, weight)
    }

    private func leave(_ client: Client?, _ weight: Int) {
        counts.withLock { counts in
            counts.all -= weight
            guard let client, let count = counts.clients[client] else { return }
            counts.clients[client] = count > weight ? count - weight : nil
        }
    }
}
