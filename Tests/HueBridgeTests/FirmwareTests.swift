import Foundation
import HueWire
import Khipu
import Lighting
import Testing

@testable import HueBridge

/// What a bridge tells of its own firmware, in the domain's words.
struct FirmwareTests {
    private static let bridge = Bridge.ID("ecb5fafffe010203")
    private static let time = Timestamp(milliseconds: 1000)

    private static func resources(_ text: String) throws -> [Resource] {
        try JSONDecoder().decode([Resource].self, from: Data(text.utf8))
    }

    /// The updates come first: a bridge lists its resources in any order.
    ///
    /// - Parameter owner: how the bridge's own resource names its device; some emulators name none.
    private static func home(
        state: String, version: String = "1.78.1978293000", owner: String = #","owner":{"rid":"d","rtype":"device"}"#
    ) throws -> [Resource] {
        try resources(
            """
            [{"type":"device_software_update","id":"u2","owner":{"rid":"lamp","rtype":"device"},"state":"ready_to_install"},
             {"type":"device_software_update","id":"u1"\(owner),"state":\(state),"problems":[]},
             {"type":"device","id":"lamp","product_data":{"software_version":"1.122.2"},"services":[]},
             {"type":"device","id":"d","metadata":{"name":"Flat"},"product_data":{"software_version":"\(version)"},
              "services":[{"rid":"b","rtype":"bridge"},{"rid":"u1","rtype":"device_software_update"}]},
             {"type":"bridge","id":"b"\(owner)}]
            """)
    }

    private static func load(_ mirror: inout HomeMirror, _ resources: [Resource]) -> [BridgeUpdate] {
        mirror.load(resources, askedAt: .zero, at: time, .zero).updates.filter { !$0.isHome }
    }

    private static func hear(_ mirror: inout HomeMirror, _ resources: String) throws -> [BridgeUpdate] {
        mirror.apply([EventContainer(.update, try Self.resources(resources))], at: time, .zero).updates
    }

    private static func told(_ update: FirmwareUpdate?, _ version: String = "1.78.1978293000") -> [BridgeUpdate] {
        [.firmware(bridge, Bridge.Firmware(version: version, update: update))]
    }

    @Test(arguments: [
        (#""no_update""#, FirmwareUpdate.upToDate), (#""update_pending""#, .pending), (#""ready_to_install""#, .ready),
        (#""installing""#, .installing), (#""waiting_for_the_moon""#, nil), ("7", nil), ("null", nil),
    ])
    func `a read tells the bridge's own firmware and its update, and a state that nobody knows is unknown`(
        state: String, update: FirmwareUpdate?
    ) throws {
        for owner in [#","owner":{"rid":"d","rtype":"device"}"#, ""] {
            var mirror = HomeMirror(Self.bridge, OfflineCommands.Policy())
            let home = try Self.home(state: state, owner: owner)
            #expect(Self.load(&mirror, home) == Self.told(update))
            #expect(Self.load(&mirror, home).isEmpty, "nothing is new")
        }
    }

    @Test func `a bridge without firmware in what it lists tells nothing`() throws {
        var mirror = HomeMirror(Self.bridge, OfflineCommands.Policy())
        let home = try Self.resources(#"[{"type":"device","id":"d","services":[]},{"type":"bridge","id":"b"}]"#)
        #expect(Self.load(&mirror, home).isEmpty)
    }

    @Test func `an event tells an update or another version, and a lamp's says nothing of the bridge`() throws {
        var mirror = HomeMirror(Self.bridge, OfflineCommands.Policy())
        _ = Self.load(&mirror, try Self.home(state: #""no_update""#))
        func update(_ owner: String, _ state: String) -> String {
            #"[{"type":"device_software_update","id":"x","owner":{"rid":"\#(owner)","rtype":"device"}\#(state)}]"#
        }
        #expect(try Self.hear(&mirror, update("lamp", #","state":"installing""#)).isEmpty)
        #expect(try Self.hear(&mirror, update("d", #","state":"ready_to_install""#)) == Self.told(.ready))
        #expect(try Self.hear(&mirror, update("d", #","problems":[]"#)).isEmpty, "it says nothing of the state")
        #expect(try Self.hear(&mirror, update("d", #","state":"moon""#)) == Self.told(nil))
        let device = #"[{"type":"device","id":"d","product_data":{"software_version":"1.79.1"}}]"#
        #expect(try Self.hear(&mirror, device) == Self.told(nil, "1.79.1"))
    }

    @Test func `an update that no event has told is found when everything is read`() throws {
        var mirror = HomeMirror(Self.bridge, OfflineCommands.Policy())
        _ = Self.load(&mirror, try Self.home(state: #""no_update""#))
        func differs(_ state: String, _ version: String) throws -> Bool {
            mirror.resources.hasDifferentArrangement(
                from: try Self.home(state: state, version: version), at: Self.time)
        }
        #expect(try !differs(#""no_update""#, "1.78.1978293000"))
        #expect(try differs(#""ready_to_install""#, "1.78.1978293000"))
        #expect(try differs(#""no_update""#, "1.79.1"))
    }

    @Test(
        arguments: [
            (#","swupdate2":{"state":"noupdates","bridge":{"state":"noupdates"}}"#, FirmwareUpdate.upToDate),
            (#","swupdate2":{"state":"transferring","bridge":{"state":"transferring"}}"#, .pending),
            (#","swupdate2":{"state":"allreadytoinstall","bridge":{"state":"readytoinstall"}}"#, .ready),
            (#","swupdate2":{"state":"anyreadytoinstall","bridge":{"state":"noupdates"}}"#, .upToDate),
            (#","swupdate2":{"state":"installing","bridge":{"state":"installing"}}"#, .installing),
            (#","swupdate2":{"state":"unknown","bridge":{"state":"unknown"}}"#, nil),
            (#","swupdate2":{"state":1}"#, nil),
            (#","swupdate2":[]"#, nil), ("", nil),
        ] as [(String, FirmwareUpdate?)])
    func `API v1 tells it in its configuration, and of lamps alone it is no update of the bridge`(
        config: String, update: FirmwareUpdate?
    ) throws {
        let text = #"{"lights":{},"config":{"name":"Flat","swversion":"1978293000"\#(config)}}"#
        let home = try JSONDecoder().decode(V1Home.self, from: Data(text.utf8))
        var mirror = HomeMirror(Self.bridge, OfflineCommands.Policy())
        #expect(Self.load(&mirror, home.resources) == Self.told(update, "1978293000"))
    }
}

extension BridgeUpdate {
    fileprivate var isHome: Bool { if case .home = self { true } else { false } }
}
