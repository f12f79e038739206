import Curl
import FoundationEssentials
import Lighting
import ServiceDiscovery

/// The maker's list of the bridges behind this home's public address. It is asked only if the configuration says so,
/// and rarely: it refuses clients that ask more often than about every quarter of an hour. Its answer is a hint;
/// entries may be old, or belong to another home behind the same address.
actor CloudLookUp {
    struct Answer: Equatable, Sendable {
        var addresses: [Bridge.Address] = []
        /// What came of it, in plain words.
        var words: String
        var succeeded = false
    }

    static let interval = Duration.seconds(900)

    private let client: HTTPClient
    private var url: String
    private let clock: BridgeClock
    private var asked: Duration?
    private var answer = Answer(words: "it has not answered yet")

    init(client: HTTPClient, url: String, clock: BridgeClock) {
        self.client = client
        self.url = url
        self.clock = clock
    }

    /// Asks another list from now on.
    func use(_ url: String) {
        guard url != self.url else { return }
        (self.url, asked) = (url, nil)
    }

    /// Asks, or repeats the last answer.
    func fetch() async -> Answer {
        if let asked, clock.now() - asked < Self.interval {
            let minutes = (clock.now() - asked).components.seconds / 60
            var again = answer
            again.words = "asked \(minutes == 0 ? "just now" : "\(minutes) min ago"), the answer was: \(answer.words)"
            return again
        }
        // Set before the answer, because a refusal counts, and so does silence.
        asked = clock.now()
        answer = await ask()
        return answer
    }

    private func ask() async -> Answer {
        var request = HTTPRequest(.get, url, trust: .system, connectTimeout: .seconds(3), deadline: .seconds(5))
        request.maximumBodySize = 1 << 16
        let response: HTTPResponse
        do throws(CurlError) {
            response = try await client.send(request)
        } catch {
            return Answer(words: "it cannot be reached: \(error)")
        }
        switch response.status {
        case 200: break
        case 429:
            return Answer(words: "it was asked too often from this home (HTTP 429); it answers again in about 15 min")
        default: return Answer(words: "it answered with an error (HTTP \(response.status))")
        }
        guard let entries = try? JSONDecoder().decode([Entry].self, from: Data(response.body)) else {
            return Answer(words: "its answer is not a list of bridges")
        }
        let addresses = entries.compactMap(\.address)
        let count = addresses.count
        return Answer(
            addresses: addresses,
            words: "it knows of \(count == 0 ? "no bridge" : "\(count) bridge\(count == 1 ? "" : "s")") here",
            succeeded: true)
    }

    private struct Entry: Decodable {
        let internalipaddress: String?
        let port: Int?

        /// Older answers name no port.
        var address: Bridge.Address? {
            guard let host = internalipaddress, IPAddress(host) != nil else { return nil }
            let port = port ?? 443
            return (1...65535).contains(port) ? Bridge.Address(host: host, port: port) : nil
        }
    }
}
