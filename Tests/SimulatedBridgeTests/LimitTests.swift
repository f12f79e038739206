import Curl
import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// Limits and faults, on the wire.
    @Suite struct LimitTests {
        @Test func `the fourth request in flight is answered 429 with the page`() async throws {
            try await withBridge {
                $0.quirks = [.latency(1000)]
            } _: { fixture in
                let answers = try await Self.together(4) { _ in try await fixture.send(.get, "/api/config") }
                #expect(answers.map(\.status).sorted() == [200, 200, 200, 429])
                #expect(answers.first { $0.status == 429 }?.isPage == true)
            }
        }

        @Test func `an open stream does not count as a request in flight`() async throws {
            try await withBridge {
                $0.quirks = [.inFlight(1)]
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                #expect(try await fixture.send(.get, "/clip/v2/resource", key: key).status == 200)
                await fixture.controls.alter("Fan", by: .turning(.it(on: true)))
                let news = try await listener.news()
                #expect(!news.isEmpty)
            }
        }

        @Test func `light commands beyond the budget are answered 429 with the page`() async throws {
            try await withBridge {
                $0.quirks = [.inFlight(100)]
                // The bridge's clock almost stands still, so that the budget does not refill.
                $0.timeScale = 0.0001
            } _: { fixture in
                let key = try await fixture.pair()
                let desk = try await fixture.lamp("Desk")
                let answers = try await Self.together(60) { number in
                    try await fixture.put("light", desk.id, #"{"on":{"on":\#(number % 2 == 0)}}"#, key: key)
                }
                #expect(answers.filter { $0.status == 200 }.count == 10)
                #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.status == 429 && $0.isPage })
            }
        }

        @Test func `the quirk unlimited lifts the limits`() async throws {
            try await withBridge {
                $0.quirks = [.unlimited]
            } _: { fixture in
                let key = try await fixture.pair()
                let desk = try await fixture.lamp("Desk")
                let group = try #require(await fixture.controls.home.groups.first)
                let answers = try await Self.together(60) { number in
                    let body = #"{"on":{"on":\#(number % 2 == 0)}}"#
                    return number < 40
                        ? try await fixture.put("light", desk.id, body, key: key)
                        : try await fixture.put("grouped_light", group.groupedLight, body, key: key)
                }
                #expect(answers.allSatisfy { $0.status == 200 })
            }
        }

        @Test(arguments: [HTTPRequest.Version.automatic, .http1])
        func `a hang-up cuts one connection, and the next request succeeds`(version: HTTPRequest.Version) async throws {
            try await withBridge { fixture in
                var request = fixture.request(.get, "/api/config")
                request.version = version
                await fixture.controls.hangUp(next: 1)
                do throws(CurlError) {
                    let response = try await fixture.client.send(request)
                    Issue.record("answered \(response.status)")
                } catch {
                    guard case .broken = error else {
                        Issue.record("\(error)")
                        return
                    }
                }
                let response = try await fixture.client.send(request)
                #expect(response.status == 200)
                #expect(await fixture.controls.requests.map(\.status) == [0, 200])
            }
        }

        private static func together(
            _ count: Int, _ send: @escaping @Sendable (Int) async throws -> HTTPResponse
        ) async throws -> [HTTPResponse] {
            try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for number in 0..<count { group.addTask { try await send(number) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
    }
}
