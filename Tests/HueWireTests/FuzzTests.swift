import Foundation
import HueWire
import ServerSentEvents
import TestSupport
import Testing

/// What a bridge sends, damaged. A trap would end the whole test run, as it would end lightd.
@Suite struct FuzzTests {
    private static func read<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type = Value.self) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }

    /// - Throws: unless what was read can be written and reads back as the same.
    private static func checkRoundTrip<Value: Codable & Equatable>(_ bytes: [UInt8], as type: Value.Type) throws {
        guard let value = read(bytes, as: type) else { return }
        guard let again = read([UInt8](try JSONEncoder().encode(value)), as: type), again == value else {
            throw TestError("\(value) does not read back as itself")
        }
    }

    /// Each resource of the fixtures, alone in an envelope.
    private static func documents() throws -> [[UInt8]] {
        try Fixture.allCases.flatMap { try $0.elements() }.map {
            [UInt8](try JSONEncoder().encode(JSONValue.object(["errors": [], "data": [$0]])))
        }
    }

    @Test func `every damaged answer of API v2 is read the same way twice, and no element is lost unnoticed`()
        async throws
    {
        try await Fuzzing("bridge-v2").inputs(Self.documents(), batches: 2) { bytes in
            let (first, second) = (
                Self.read(bytes, as: Envelope<Resource>.self), Self.read(bytes, as: Envelope<Resource>.self)
            )
            guard first?.data == second?.data, first?.errors == second?.errors else {
                throw TestError("read in two ways")
            }
            // Text that is not valid somewhere else in the document does not matter to the envelope.
            guard let first, let elements = Self.read(bytes, as: JSONValue.self)?["data"]?.array?.count,
                first.data.count + first.unreadable.count != elements
            else { return }
            throw TestError("\(elements) elements, but \(first.data.count) read and \(first.unreadable.count) noted")
        }
    }

    @Test func `every damaged JSON value that is read can be written and read back`() async throws {
        try await Fuzzing("json").inputs(Self.documents(), batches: 2) {
            try Self.checkRoundTrip($0, as: JSONValue.self)
        }
    }

    private static let v1Samples = [
        #"{"lights":{"10":{"state":{"on":false,"bri":254,"hue":14922,"sat":144,"effect":"none","xy":[0.4595,0.4105],"#
            + #""ct":369,"alert":"none","colormode":"ct","reachable":true},"type":"Extended color light","name":"Desk","#
            + #""modelid":"LCT001","uniqueid":"00:17:88:01:00:aa:bb:cc-0b","capabilities":{"control":{"mindimlevel":"#
            + #"2000,"ct":{"min":153,"max":454},"colorgamuttype":"C","colorgamut":[[0.6915,0.3083],[0.17,0.7],"#
            + #"[0.1532,0.0475]]}}}},"groups":{"1":{"name":"Study","lights":["10"],"type":"Room","action":{"on":true}}},"#
            + #""scenes":{"ab34":{"name":"Read","lights":["10"],"type":"GroupScene","group":"1"}},"config":{"name":"B"}}"#,
        #"{"name":"Bridge","bridgeid":"001788FFFE010203","modelid":"BSB002","swversion":"1948086000","mac":"00:17:88"}"#,
        #"[{"success":{"/lights/1/state/on":true}},{"error":{"type":901,"address":"/","description":"busy"}}]"#,
        #"{"success":{"username":"abc","clientkey":"00112233445566778899AABBCCDDEEFF"}}"#,
        #"{"error":{"type":101,"address":"","description":"link button not pressed"}}"#,
    ].map { Array($0.utf8) }

    @Test func `every damaged answer of API v1 is read the same way twice, and no member is lost unnoticed`()
        async throws
    {
        try await Fuzzing("bridge-v1").inputs(Self.v1Samples, batches: 2) { bytes in
            try Self.checkRoundTrip(bytes, as: PublicConfig.self)
            try Self.checkRoundTrip(bytes, as: PairingAnswer.self)
            guard Self.read(bytes, as: V1Answer.self) == Self.read(bytes, as: V1Answer.self) else {
                throw TestError("an answer is read in two ways")
            }
            guard let home = Self.read(bytes, as: V1Home.self),
                let lights = Self.read(bytes, as: JSONValue.self)?["lights"]?.object?.count,
                home.lights.members.count + home.lights.unreadable.count != lights
            else { return }
            throw TestError("\(lights) lights, but \(home.lights.members.count) read")
        }
    }

    @Test func `damaged event streams give the same frames wherever they are cut, and each can be framed again`()
        async throws
    {
        let stream = [UInt8](try Fixture.bytes(of: "events.txt"))
        try await Fuzzing("events").inputs([stream, Array(HueEventStream.greeting.utf8)], batches: 2) { bytes in
            var whole = HueEventStream.parser
            let frames = whole.read(bytes)
            var cut = HueEventStream.parser
            let half = bytes.count / 2
            guard cut.read(bytes[..<half]) + cut.read(bytes[half...]) == frames else {
                throw TestError("cut after \(half) bytes, there are other frames")
            }
            for frame in frames {
                // Spaces around a line are ignored in a bridge's stream, but kept in the general one.
                var parser = ServerSentEvent.Parser()
                guard parser.read(frame.framed.utf8) == [frame] else {
                    throw TestError("\(frame) does not read back as itself")
                }
                let containers = try? EventContainer.all(in: frame)
                let again = try? EventContainer.all(in: frame)
                guard containers?.map(\.data) == again?.map(\.data), containers?.map(\.kind) == again?.map(\.kind)
                else { throw TestError("its containers are read in two ways") }
            }
        }
    }
}
