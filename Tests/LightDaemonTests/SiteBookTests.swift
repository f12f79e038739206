import ControlProtocol
import Foundation
import MQTT
import TestSupport
import Testing

@testable import LightDaemon

@Suite struct SiteBookTests {
    private static let client = "me/1"

    /// A book that knows these sites, of which "off" is offline.
    private static func book(_ sites: String...) throws -> SiteBook {
        var book = SiteBook(user: "me", name: "1")
        for site in sites {
            _ = book.hear(MQTTMessage("lightd/\(site)/status", site == "off" ? "offline" : "online"))
            let info = SiteInfo(version: "1", site: site, started: "", tags: ["t"], bridges: ["b"], lights: 3)
            _ = book.hear(MQTTMessage("lightd/\(site)/info", Array(try JSONEncoder().encode(info))))
        }
        return book
    }

    private static let list = RelayedRequest(method: "GET", path: Routes.lights)

    private static func error(_ steps: [SiteBook.Step]) throws -> ErrorReply.Body? {
        guard case let .answer(_, answer)? = steps.first else { return nil }
        return try JSONDecoder().decode(ErrorReply.self, from: Data(answer.body)).error
    }

    private static func answer(_ message: MQTTMessage, from site: String, _ text: String) -> MQTTMessage {
        MQTTMessage(
            "lightd/\(site)/response/\(client)", Array(text.utf8), correlation: message.correlation,
            userProperties: [.init("status", "200")])
    }

    @Test func `a request goes to its site, and its answer comes back`() throws {
        var book = try Self.book("a", "b")
        #expect(book.listed.map(\.site) == ["a", "b"] && book.listed.allSatisfy { $0.online && $0.info?.lights == 3 })
        guard case let .publish(first) = book.ask("a", Self.list, number: 1, as: "me")[0],
            case let .publish(second) = book.ask("b", Self.list, number: 2, as: "me")[0]
        else { return #expect(Bool(false), "nothing is published") }
        #expect(first.topic == "lightd/a/request" && first.responseTopic == "lightd/a/response/me/1")
        #expect(first.property("path") == Routes.lights && first.property("client") == "me" && !first.isRetained)
        // In whatever order they come, and once.
        let answer = RelayedAnswer(status: 200, fields: [:], body: Array("B".utf8))
        #expect(book.hear(Self.answer(second, from: "b", "B")) == [.answer(2, answer)])
        #expect(book.hear(Self.answer(second, from: "b", "B")).isEmpty)
        // Nobody answers for another site.
        #expect(book.hear(Self.answer(first, from: "b", "B")).isEmpty)
        #expect(!book.hear(Self.answer(first, from: "a", "A")).isEmpty)
    }

    @Test func `a site that is not there is said at once`() throws {
        var book = try Self.book("a", "off")
        #expect(try Self.error(book.ask("b", Self.list, number: 1, as: ""))?.code == .noSuchTarget)
        #expect(try Self.error(book.ask("", Self.list, number: 2, as: ""))?.code == .noSuchTarget)
        #expect(try Self.error(book.ask("off", Self.list, number: 3, as: ""))?.code == .daemonUnreachable)
        var long = Self.list
        long.body = Array(repeating: 0, count: RelayedRequest.longestBody + 1)
        #expect(try Self.error(book.ask("a", long, number: 4, as: ""))?.code == .invalid)
        // One that is removed from the broker is forgotten.
        _ = book.hear(MQTTMessage("lightd/a/status", ""))
        #expect(book.listed.map(\.site) == ["off"])
    }

    @Test func `an operator asks with the most that the broker lets it`() throws {
        var book = try Self.book("a")
        var topics: [String] = []
        var steps = book.ask("a", Self.list, number: 1, as: "me")
        while case let .publish(message)? = steps.first, message.topic != "lightd/a/request/look" {
            topics.append(message.topic)
            steps = book.rejected(message.correlation, "not authorized", isDenied: true)
        }
        #expect(
            topics == ["request", "request/full", "request/control", "request/read_only"].map { "lightd/a/\($0)" })
        // From now on it is known.
        guard case let .publish(next)? = book.ask("a", Self.list, number: 3, as: "me").first else { return }
        #expect(next.topic == "lightd/a/request/look")
        #expect(try Self.error(book.rejected(next.correlation, "not authorized", isDenied: true))?.code == .notAllowed)
        // What else is wrong does not become right with less, and ends nobody else's request.
        _ = book.ask("a", Self.list, number: 4, as: "me")
        guard case let .publish(long)? = book.ask("a", Self.list, number: 5, as: "me").first else { return }
        let steps4 = book.rejected(long.correlation, "too long", isDenied: false)
        #expect(steps4.count == 1)
        #expect(try Self.error(steps4)?.code == .invalid)
        #expect(try Self.error(book.unsent(Array("4".utf8)))?.code == .daemonUnreachable)
        #expect(book.unsent(Array("4".utf8)).isEmpty)
    }

    @Test func `what is under way when the connection breaks is unconfirmed`() throws {
        var book = try Self.book("a")
        _ = book.ask("a", Self.list, number: 7, as: "me")
        let steps = book.lost("gone")
        #expect(steps.count == 1)
        #expect(try Self.error(steps)?.code == .unconfirmed)
        #expect(book.lost("gone").isEmpty)
    }

    @Test func `it is ready once, after its own message has come back`() throws {
        var book = try Self.book("a")
        #expect(book.hear(book.sentinel) == [.ready])
        #expect(book.hear(book.sentinel).isEmpty)
        #expect(book.isReady)
        #expect(book.rejected(book.sentinel.correlation, "not authorized", isDenied: true).isEmpty)
    }

    @Test func `nothing that others publish breaks it`() throws {
        var book = try Self.book("a")
        for topic in [
            "", "lightd", "lightd/", "lightd//", "lightd/a", "lightd/A/status", "lightd/a/info", "lightd/a/response",
            "lightd/a/response/me/1", "lightd/a/response/me/1/x", "x/a/status", "lightd/\u{0}/status",
            "lightd/a/status/x",
        ] {
            for payload in ["", "{", "online", "\u{FFFD}", #"{"version":1}"#] {
                var message = MQTTMessage(topic, payload)
                message.correlation = Array("18446744073709551616".utf8)
                message.userProperties = [.init("status", payload), .init("status", "200")]
                #expect(book.hear(message).isEmpty, "\(topic) \(payload)")
            }
        }
    }
}
