import Foundation
import HueWire
import Testing

@Suite struct RequestTests {
    @Test(arguments: [
        (LightUpdate(), "{}"),
        (LightUpdate(on: true), #"{"on":{"on":true}}"#),
        (LightUpdate(on: false, milliseconds: 400), #"{"dynamics":{"duration":400},"on":{"on":false}}"#),
        (LightUpdate(brightness: 60), #"{"dimming":{"brightness":60}}"#),
        (LightUpdate(brightness: 49.8), #"{"dimming":{"brightness":49.8}}"#),
        (LightUpdate(color: .mirek(300)), #"{"color_temperature":{"mirek":300}}"#),
        (LightUpdate(color: .xy(XY(x: 0.25, y: 0.5))), #"{"color":{"xy":{"x":0.25,"y":0.5}}}"#),
        (
            LightUpdate(on: true, brightness: 60, color: .mirek(300), milliseconds: 800),
            #"{"color_temperature":{"mirek":300},"dimming":{"brightness":60},"dynamics":{"duration":800},"on":{"on":true}}"#
        ),
    ])
    func `only the given values are sent`(update: LightUpdate, text: String) throws {
        #expect(try Self.text(of: update) == text)
        #expect(try JSONDecoder().decode(LightUpdate.self, from: Data(text.utf8)) == update)
    }

    @Test func `a recall has an action and may have a duration`() throws {
        #expect(try Self.text(of: SceneRecall()) == #"{"recall":{"action":"active"}}"#)
        #expect(
            try Self.text(of: SceneRecall(milliseconds: 1000)) == #"{"recall":{"action":"active","duration":1000}}"#)
        #expect(try Self.text(of: SceneRecall(.static)) == #"{"recall":{"action":"static"}}"#)
        #expect(
            try Self.text(of: SceneRecall(.dynamicPalette, speed: 0.5))
                == #"{"recall":{"action":"dynamic_palette"},"speed":0.5}"#)
    }

    @Test func `a renaming has only the name`() throws {
        #expect(try Self.text(of: NameUpdate("Désk \"2\"")) == #"{"metadata":{"name":"Désk \"2\""}}"#)
    }

    @Test func `a pairing names the application and the instance, cut to the lengths allowed`() throws {
        let long = String(repeating: "x", count: 30)
        #expect(
            try Self.text(of: PairingRequest(application: "lightd", instance: "study"))
                == #"{"devicetype":"lightd#study","generateclientkey":true}"#)
        #expect(
            PairingRequest(application: long, instance: long).devicetype
                == String(repeating: "x", count: 20) + "#" + String(repeating: "x", count: 19))
    }

    private static func text(of body: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(body), as: UTF8.self)
    }
}
