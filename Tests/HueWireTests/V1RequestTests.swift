import Foundation
import HueWire
import Testing

/// Pairing and the public configuration, which exist in API v1 only.
@Suite struct V1RequestTests {
    @Test func `an unpressed button is read as error 101`() throws {
        let answers = try Self.answers(
            #"[{"error":{"type":101,"address":"","description":"link button not pressed"}}]"#)
        #expect(answers == [PairingAnswer(error: V1Error(101, address: "", "link button not pressed"))])
        #expect(answers.first?.error?.type == V1Error.linkButtonNotPressed)
        #expect(answers.first?.success == nil)
    }

    @Test(
        arguments: [
            (#"{"username":"k-1","clientkey":"00112233445566778899AABBCCDDEEFF"}"#, "00112233445566778899AABBCCDDEEFF"),
            (#"{"username":"k-1"}"#, nil), (#"{"username":"k-1","clientkey":null,"later":1}"#, nil),
        ] as [(String, String?)])
    func `a key may come with or without a client key`(text: String, clientkey: String?) throws {
        let answers = try Self.answers(#"[{"success":\#(text)}]"#)
        #expect(answers == [PairingAnswer(success: .init(username: "k-1", clientkey: clientkey))])
        let again = try JSONDecoder().decode([PairingAnswer].self, from: JSONEncoder().encode(answers))
        #expect(again == answers)
    }

    @Test func `the public configuration is decoded`() throws {
        let config = try Self.config(
            """
            {"name":"Study bridge","datastoreversion":"126","swversion":"1978293000","apiversion":"1.78.0",
             "mac":"ec:b5:fa:01:02:03","bridgeid":"ECB5FAFFFE010203","factorynew":false,"replacesbridgeid":null,
             "modelid":"BSB002","starterkitid":""}
            """)
        #expect(
            config
                == PublicConfig(
                    name: "Study bridge", bridgeid: "ECB5FAFFFE010203", modelid: "BSB002", swversion: "1978293000",
                    apiversion: "1.78.0", mac: "ec:b5:fa:01:02:03"))
        #expect(BridgeID.normalized(config.bridgeid ?? "") == BridgeID.of(mac: config.mac ?? ""))
    }

    @Test func `an emulator may leave out anything`() throws {
        #expect(try Self.config("{}") == PublicConfig(name: nil, bridgeid: nil, modelid: nil))
    }

    @Test(arguments: [
        ("ecb5fafffe010203", "ecb5fafffe010203"), ("ECB5FAFFFE010203", "ecb5fafffe010203"),
        ("ecb5fa010203", "ecb5fafffe010203"), ("EC:B5:FA:01:02:03", "ecb5fafffe010203"),
        ("ec-b5-fa-01-02-03", "ecb5fafffe010203"), ("ec:b5:fa:ff:fe:01:02:03", "ecb5fafffe010203"),
        ("001788010203", "001788fffe010203"), (" ecb5fafffe010203\n", "ecb5fafffe010203"),
        // Not ids: only their case changes, so that two different ones never become one.
        ("", ""), ("Bridge", "bridge"), ("ecb5fa01020", "ecb5fa01020"), ("xecb5fafffe010203", "xecb5fafffe010203"),
        ("simulated-decade-cafe-00", "simulated-decade-cafe-00"), ("ｅｃｂ５ｆａ０１０２０３", "ｅｃｂ５ｆａ０１０２０３"),
    ])
    func `every spelling of a bridge id is normalized to one`(text: String, id: String) {
        #expect(BridgeID.normalized(text) == id)
        #expect(BridgeID.normalized(id) == id)
    }

    @Test func `a bridge's MAC and id are converted into each other`() {
        #expect(BridgeID.of(mac: "ec:b5:fa:01:02:03") == "ecb5fafffe010203")
        #expect(BridgeID.mac(of: "ECB5FAFFFE010203") == "ec:b5:fa:01:02:03")
        #expect(BridgeID.mac(of: "ec:b5:fa:01:02:03") == "ec:b5:fa:01:02:03")
        #expect(BridgeID.mac(of: "no id") == "no id")
    }

    private static func answers(_ text: String) throws -> [PairingAnswer] {
        try JSONDecoder().decode([PairingAnswer].self, from: Data(text.utf8))
    }

    private static func config(_ text: String) throws -> PublicConfig {
        try JSONDecoder().decode(PublicConfig.self, from: Data(text.utf8))
    }
}
