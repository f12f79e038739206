import Foundation
import HueWire
import ServerSentEvents
import Testing

@testable import SimulatedBridge

/// What faults do to documents, frames and commands, as values.
@Suite struct FaultInjectorTests {
    private static let home = SimulatedHome(HomeFixture.showroom, seed: 1)
    private static let injector = DocumentFaultInjector(home: home, derive: DerivedID(seed: 1))
    private static let documents = Set<FaultKind>.documents.sorted { $0.rawValue < $1.rawValue }

    private static func fault(_ kind: FaultKind) throws -> Fault { try Fault(kind.rawValue) }

    /// Faults that add resources or shift values change something each time they are applied.
    @Test(arguments: documents)
    func `a fault changes a home's documents, and nothing more when applied again`(kind: FaultKind) throws {
        let fault = try Self.fault(kind)
        let once = Self.injector.apply(fault, to: Self.home.documents, .all)
        #expect(once != Self.home.documents)
        guard kind != .unknownTypes, kind != .colourShift else { return }
        #expect(Self.injector.apply(fault, to: once, .all) == once)
    }

    @Test(arguments: documents)
    func `a fault keeps ids and types, and leaves an empty list empty`(kind: FaultKind) throws {
        let fault = try Self.fault(kind)
        let bent = Self.injector.apply(fault, to: Self.home.documents, .all)
        let before = Self.home.documents.map { [$0["id"], $0["type"]] }
        let after = bent.map { [$0["id"], $0["type"]] }
        switch kind {
        case .unknownTypes: #expect(Array(after.dropLast()) == before)
        case .noGroupedLight, .halfBooted:
            #expect(after == before.filter { after.contains($0) } && after.count < before.count)
        default: #expect(after == before)
        }
        #expect(Self.injector.apply(fault, to: [], .changes).isEmpty)
    }

    @Test(arguments: documents.filter { if case .one("LIGHT") = $0.form { true } else { false } })
    func `a fault of one lamp leaves the others alone`(kind: FaultKind) throws {
        let lamp = try #require(
            Self.home.lamps.first { lamp in
                lamp.isOn && lamp.kind.gamut != nil && lamp.kind.whites != nil
                    && (kind != .missingPoints || lamp.kind.points > 0)
            })
        let bent = Self.injector.apply(try Fault("\(kind.rawValue):\(lamp.name)"), to: Self.home.documents, .all)
        let touched = zip(Self.home.documents, bent).filter { $0 != $1 }.map { $0.0["id"] }
        #expect(touched == [.id(lamp.id)])
        let none = Self.injector.apply(try Fault("\(kind.rawValue):nobody"), to: Self.home.documents, .all)
        #expect(none == Self.home.documents)
    }

    @Test func `a fault adds nothing to an event that only switches a light`() throws {
        let news: [JSONValue] = [["id": "a", "type": "light", "on": ["on": true]]]
        for kind in Self.documents where kind != .unknownTypes {
            #expect(Self.injector.apply(try Self.fault(kind), to: news, .changes) == news, "\(kind)")
        }
    }

    // MARK: - Frames

    private static let time = Date(timeIntervalSince1970: 1_790_000_000)

    private static func batch(_ number: Int) -> EventHub.EventBatch {
        EventHub.EventBatch(
            id: "\(number):0", time: time,
            containers: [
                [
                    "creationtime": "2026-09-21T14:13:20Z", "id": "c", "type": "update",
                    "data": [["id": "a", "type": "light", "on": ["on": .bool(number.isMultiple(of: 2))]]],
                ]
            ])
    }

    /// The ids of the frames that five batches become.
    private static func told(_ faults: Fault...) throws -> [String?] {
        var (book, injector) = (FaultRegistry(seed: 1), EventFaultInjector(derive: DerivedID(seed: 1)))
        for fault in faults { book.begin(fault, at: .zero) }
        var parser = HueEventStream.parser
        var ids: [String?] = []
        for number in 1...5 {
            let outcome = injector.apply(&book, to: batch(number), of: home, at: .zero)
            for piece in outcome.frames.flatMap(\.pieces) { ids += parser.read(piece).map(\.id) }
        }
        return ids
    }

    @Test func `without a fault every frame is sent once, in order`() throws {
        #expect(try Self.told() == ["1:0", "2:0", "3:0", "4:0", "5:0"])
    }

    @Test func `faults lose, duplicate and swap frames, also in combination`() throws {
        let twice = Fault.Scope(count: 2)
        #expect(try Self.told(Fault(.loseEvents, nil, twice)) == ["3:0", "4:0", "5:0"])
        #expect(
            try Self.told(Fault(.duplicateEvents, nil, twice)) == ["1:0", "1:0", "2:0", "2:0", "3:0", "4:0", "5:0"])
        #expect(try Self.told(Fault(.reorderEvents, nil, twice)) == ["2:0", "1:0", "4:0", "3:0", "5:0"])
        #expect(
            try Self.told(Fault(.loseEvents, nil, Fault.Scope(count: 1)), Fault(.reorderEvents, nil, twice))
                == ["3:0", "2:0", "5:0", "4:0"])
    }

    @Test(arguments: [FaultKind.splitStream, .crlfStream, .trailingBlanks])
    func `a correct parser reads the same frames, however they are written`(kind: FaultKind) throws {
        #expect(try Self.told(Self.fault(kind)) == Self.told())
    }

    // MARK: - Commands

    @Test func `off-transition-level changes only an off with a long transition`() throws {
        let lamp = Self.home.lamps[0].id
        func level(_ on: Bool, _ duration: Duration) throws -> Bool {
            let orders = HomeUpdate(
                changes: [.updating(.lamp(lamp, by: [.turning(.it(on: on))]))], radio: [.unicast(lamp, over: duration)])
            return CommandFaultInjector.apply(try Fault("off-transition-level"), to: orders) != orders
        }
        #expect(try level(false, .seconds(2)))
        #expect(try !level(false, .milliseconds(400)))
        #expect(try !level(true, .seconds(2)))
    }

    @Test func `popcorn turns a broadcast into one message per lamp`() throws {
        let lamps = Self.home.lamps.prefix(3).map(\.id)
        let orders = HomeUpdate(changes: [], radio: [.broadcast(lamps, over: .zero)])
        #expect(
            CommandFaultInjector.apply(try Fault("popcorn"), to: orders).radio
                == lamps.map { .unicast($0, over: .zero) }
        )
    }

    private static func request(_ body: String, _ path: String) -> BridgeRequest {
        BridgeRequest(
            method: "PUT", path: path.split(separator: "/").map(String.init), query: nil, key: nil, accept: nil,
            lastEventID: nil, body: Array(body.utf8), isSecure: false)
    }

    @Test func `error 201 refuses all values sent with an on`() {
        let path = "/api/key/lights/1/state"
        #expect(CommandFaultInjector.isOnAndMore(Self.request(#"{"on":true,"bri":1}"#, path)))
        for body in [#"{"on":true}"#, #"{"on":true,"transitiontime":4}"#, #"{"on":false,"bri":1}"#, #"{"bri":1}"#, "x"]
        {
            #expect(!CommandFaultInjector.isOnAndMore(Self.request(body, path)), "\(body)")
        }
        #expect(!CommandFaultInjector.isOnAndMore(Self.request(#"{"on":true,"bri":1}"#, "/api/key/groups/1/action")))
        let response = CommandFaultInjector.refusingAllButOn(
            .json(
                [
                    ["success": ["/lights/1/state/on": true]], ["success": ["/lights/1/state/bri": 1]],
                ] as [JSONValue]))
        let rows = try? JSONDecoder().decode([JSONValue].self, from: Data(response.body))
        #expect(rows?.map { $0["success"] != nil } == [true, false])
        #expect(rows?.last?["error"]?["type"] == 201)
        #expect(rows?.last?["error"]?["address"] == "/lights/1/state/bri")
        let lamp = Self.home.lamps[0].id
        let changes: [SimulatedHome.Change] = [
            .updating(.lamp(lamp, by: [.turning(.it(on: true)), .setting(.level(to: 9))]))
        ]
        #expect(CommandFaultInjector.onlySwitching(changes) == [.updating(.lamp(lamp, by: [.turning(.it(on: true))]))])
    }
}
