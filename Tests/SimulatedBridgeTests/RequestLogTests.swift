import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct RequestLogTests {
    private func send(_ method: String, _ path: String, key: String? = "k") -> BridgeRequest {
        BridgeRequest(
            method: method, path: path.split(separator: "/").map(String.init), query: nil, key: key, accept: nil,
            lastEventID: nil, body: [], isSecure: true)
    }

    private func record(_ script: [(at: Duration, send: BridgeRequest)], status: Int = 200) -> RequestLog {
        var record = RequestLog()
        for (time, send) in script {
            record.began(
                send, .response(.page(status)), on: send.path.suffix(2).joined(separator: "/"), at: time,
                date: Date(timeIntervalSince1970: 0))
            record.ended()
        }
        return record
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `the highest rate is the maximum within any one second`(seed: UInt64)
    {
        var random = SplitMix(seed: seed)
        var now = Duration.zero
        var (meter, times) = (RateMeter(), [Duration]())
        for _ in 0..<3000 {
            now += .milliseconds(Int.random(in: 0...Int.random(in: 1...200, using: &random), using: &random))
            meter.count(at: now)
            times.append(now)
        }
        let most = times.indices.map { end in times[...end].reversed().prefix { $0 > times[end] - .seconds(1) }.count }
        #expect(meter.highest == most.max())
        #expect(meter.total == 3000)
    }

    @Test func `commands of both APIs are counted by budget, target and key`() {
        let tally = record([
            (.zero, send("PUT", "/clip/v2/resource/light/a")), (.zero, send("PUT", "/clip/v2/resource/light/a")),
            (.zero, send("PUT", "/clip/v2/resource/grouped_light/g")),
            (.zero, send("PUT", "/clip/v2/resource/scene/s")),
            (.zero, send("PUT", "/clip/v2/resource/device/d")), (.zero, send("GET", "/clip/v2/resource/light/a")),
            (.zero, send("PUT", "/api/k/lights/1/state", key: nil)),
            (.zero, send("PUT", "/api/k/groups/0/action", key: nil)), (.zero, send("PUT", "/api/k/lights/1", key: nil)),
        ]).tally
        #expect(tally.lights.total == 3 && tally.groups.total == 3 && tally.all.total == 9)
        #expect(tally.commands["light/a"] == 2)
        #expect(tally.keys == ["k": 9])
    }

    @Test func `requests without an answer count as in flight`() {
        var record = RequestLog()
        let date = Date(timeIntervalSince1970: 0)
        for _ in 0..<4 { record.began(send("GET", "/api"), .response(.page(200)), on: nil, at: .zero, date: date) }
        for _ in 0..<2 { record.ended() }
        record.began(send("GET", "/api"), .response(.page(429)), on: nil, at: .zero, date: date)
        #expect(record.tally.inFlight == 4)
        #expect(record.tally.refused == 1)
        record.clear()
        #expect(record.tally.inFlight == 3 && record.tally.all.total == 0 && record.requests.isEmpty)
    }

    @Test func `only the last requests are kept, each with its number`() {
        let many = record((0..<5000).map { (.milliseconds($0), send("GET", "/\($0)")) })
        #expect(many.requests.count >= 2000 && many.requests.count <= 4000)
        #expect(many.requests.last?.number == 5000)
        #expect(many.requests.map(\.number) == Array((5000 - many.requests.count + 1)...5000))
        #expect(many.tally.all.total == 5000)
    }

    @Test func `an assertion that does not hold is answered 417, with the actual figures`() throws {
        let tally = record((0..<12).map { (.milliseconds($0 * 10), send("PUT", "/clip/v2/resource/light/a")) }).tally
        #expect(try RequestAssertions("most_lights_per_second=12&most_in_flight=1").response(tally).status == 200)
        let response = try RequestAssertions("most_lights_per_second=10&most_in_flight=3&most_refused=0").response(
            tally)
        #expect(response.status == 417)
        let body = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
        #expect(body["holds"] == false)
        #expect(
            body["failed"] == [["name": "most_lights_per_second", "expected_at_most": 10, "was": 12]])
        #expect(body["record"]?["commands"] == ["light/a": 12])
        #expect(try RequestAssertions(nil).response(tally).status == 200)
    }

    @Test(arguments: [
        "most_lights", "most_in_flight=", "most_in_flight=many", "most_in_flight=-1", "nonsense=3", "=", "a=b=c",
    ])
    func `an invalid assertion is refused with a list of the known ones`(query: String) {
        let refusal = #expect(throws: ControlError.self) { try RequestAssertions(query) }
        #expect(refusal?.status == 400)
        #expect(refusal?.words.contains("most_lights_per_second") == true)
    }
}
