import HueWire
import Testing

@testable import SimulatedBridge

@Suite struct DerivedIDTests {
    /// Clients store ids, keys and pins: an accidental change of the derivation would cost every one of them.
    @Test func `a seed and a name give these ids in every process and version`() {
        let derive = DerivedID(seed: 1)
        #expect(derive.bridge == "b82342")
        #expect(derive.uuid("light", "Desk") == "c393cbc8-1185-4270-bd66-d64dafaed73f")
        #expect(derive.uuid("device", "Desk") == "77d44175-08aa-4e01-8ad3-f52839efb736")
        #expect(derive.zigbee("Desk") == "00:17:88:01:ec:3b:c8:18")
        #expect(derive.key("test#one", 1) == "DD-TCiE8c3wWCH0DmLEqscLOEPKZBCLAoVMzBTcL")
        #expect(derive.clientKey("test#one", 1) == "AB77E5AB7B031BAE2DED53EB35E1556D")
        #expect(DerivedID(seed: 2).uuid("light", "Desk") == "7e21ea23-93d5-4b8f-9a97-c34e373fcc1a")
    }

    @Test func `the first certificate of a seed has this pin, and the second another`() throws {
        func pin(_ number: Int) throws -> String {
            let derive = DerivedID(seed: 1)
            return try BridgeCertificate(bridgeID: "ecb5fafffe" + derive.bridge, seed: derive.certificateSeed(number))
                .pin
        }
        #expect(try pin(0) == "sha256//zdQbsZSqnjNO2Jug4ghARV8ypNJhQWebr2DxQpPLhMI=")
        #expect(try pin(1) != pin(0))
    }

    @Test(arguments: [0, 1, 4711] as [UInt64]) func `ids are unique and have the format of real bridges`(seed: UInt64) {
        let derive = DerivedID(seed: seed)
        let kinds = ["light", "device", "room", "zone", "scene", "grouped_light", "zigbee_connectivity"]
        let ids = kinds.flatMap { kind in (0..<500).map { derive.uuid(kind, "Lamp \($0)").description } }
        #expect(Set(ids).count == ids.count)
        let shape = /[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/
        #expect(ids.allSatisfy { $0.wholeMatch(of: shape) != nil })
        let keys = (0..<500).map { derive.key("app#\($0)", $0) }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9-]{40}/) != nil })
        #expect(derive.clientKey("app", 1).wholeMatch(of: /[0-9A-F]{32}/) != nil)
        #expect(derive.bridge.wholeMatch(of: /[0-9a-f]{6}/) != nil)
    }
}
