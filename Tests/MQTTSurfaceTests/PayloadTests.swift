import ControlProtocol
import ControlSurface
import Foundation
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import MQTTSurface

struct PayloadTests {
    private static func json(_ light: Light) throws -> String { try JSON.text(LightPayload(light)) }

    @Test func `a light's state has its colour mode with its value, and no other`() throws {
        #expect(
            try Self.json(.make(brightness: 0.5, temperature: 370))
                == #"{"brightness":128,"color_mode":"color_temp","color_temp":2703,"state":"ON"}"#)
        let red = try Self.json(.make(brightness: 1, hue: 0, saturation: 1, mode: .hsb))
        #expect(red.hasPrefix(#"{"brightness":254,"color":{"x":0."#) && red.contains(#""color_mode":"xy""#))
        #expect(!red.contains("color_temp"))
        #expect(try Self.json(.plug()) == #"{"state":"ON"}"#)
        let candle = Light.make(
            power: .off, brightness: 0, modes: [], effect: .init("candle"),
            limits: .init(dims: true, effects: ["candle"]))
        #expect(try Self.json(candle) == #"{"brightness":1,"effect":"candle","state":"OFF"}"#)
        #expect(
            try Self.json(.make(modes: [], limits: .init(dims: true, effects: ["candle"])))
                == #"{"brightness":128,"effect":"off","state":"ON"}"#)
    }

    @Test func `a level goes to Home Assistant and back exactly, and is never 0`() {
        for level in 1...254 { #expect(LightPayload.level(LightPayload.percent(Double(level)) / 100) == level) }
        #expect(LightPayload.level(0) == 1 && LightPayload.level(1) == 254)
    }

    @Test func `a room is on if one of its lights is, at the mean of those that are known`() throws {
        let lights = [
            Light.make("a", brightness: 0.2), .make("b", brightness: 0.6), .make("c", power: .off, brightness: 1),
            .make("d", brightness: 1, freshness: .unreachable(since: .sample)),
        ]
        #expect(try JSON.text(LightPayload(lights)).contains(#""brightness":102,"#))
        #expect(LightPayload([lights[2]]).state == .off)
        #expect(LightPayload([]).state == .off)
    }

    private static let reader = CommandReader(target: "b/desk")

    @Test(arguments: [
        ("ON", Command.turn(to: .on, target: "b/desk")), (" off\n", .turn(to: .off, target: "b/desk")),
        ("toggle", .toggle(target: "b/desk")), ("0", .turn(to: .off, target: "b/desk")),
        ("127.5", .set(.init(brightness: 50), target: "b/desk")),
        (#"{"state":"ON"}"#, .turn(to: .on, target: "b/desk")),
        (#"{"state":"OFF","transition":3.0}"#, .turn(to: .off, target: "b/desk", over: 3000)),
        (
            #"{"state":"ON","transition":2.0,"brightness":254,"color_temp":2700}"#,
            .set(.init(brightness: 100, temperature: 370), target: "b/desk", over: 2000)
        ),
        (#"{"color_temp":370}"#, .set(.init(temperature: 370), target: "b/desk")),
        (#"{"color_temp":1000}"#, .set(.init(temperature: 1000), target: "b/desk")),
        (#"{"state":"ON","color":{"x":0.5,"y":0.4}}"#, .set(.init(color: "xy(0.5,0.4)"), target: "b/desk")),
        (#"{"color":{"r":255,"g":136,"b":0}}"#, .set(.init(color: "rgb(255,136,0)"), target: "b/desk")),
        (#"{"color":{"h":30,"s":100}}"#, .set(.init(hue: 30, saturation: 100), target: "b/desk")),
        (#"{"color":{"hex":"ff8800"}}"#, .set(.init(color: "#ff8800"), target: "b/desk")),
        (#"{"state":"ON","effect":"candle"}"#, .set(.init(effect: "candle"), target: "b/desk")),
        (#"{"effect":"off"}"#, .set(.init(effect: "none"), target: "b/desk")),
        (#"{"state":"ON","flash":2}"#, .signal(target: "b/desk", duration: 2000)),
        (#"{"flash":"long"}"#, .signal(target: "b/desk", duration: 10_000)),
        (#"{"brightness_step":25.3}"#, .increase(.brightness, by: 10, target: "b/desk")),
        (#"{"brightness_step":-25.3,"transition":1}"#, .decrease(.brightness, by: 10, target: "b/desk", over: 1000)),
        (#"{"state":"TOGGLE","linkquality":99}"#, .toggle(target: "b/desk")),
    ])
    func `what Home Assistant, zigbee2mqtt's users and people send is understood`(_ payload: String, _ command: Command)
        throws
    {
        let read = try Self.reader.light(Array(payload.utf8))
        guard case let .set(values, target: target, over: over, keepRatios: _) = read,
            case let .set(wanted, target: wantedTarget, over: wantedOver, keepRatios: _) = command
        else {
            guard case let .increase(_, by: points, target: _, over: _, _) = read else {
                if case let .decrease(_, by: points, target: _, over: over, _) = read {
                    #expect(abs(points - 10) < 0.001 && over == 1000)
                    return
                }
                #expect(read == command)
                return
            }
            #expect(abs(points - 10) < 0.001)
            return
        }
        #expect(target == wantedTarget && over == wantedOver)
        var rounded = values
        rounded.brightness = values.brightness.map { ($0 * 100).rounded() / 100 }
        #expect(rounded == wanted)
    }

    @Test(arguments: [
        ("", "'' is no command"), ("dim", "'dim' is no command"), (#"{"state":"BRIGHT"}"#, "'BRIGHT' is no state"),
        (#"{"brightness":300}"#, "'brightness' is 300"), (#"{"brightness":"full"}"#, "'brightness' must be a number"),
        (#"{"color":{"x":0.5}}"#, "'color' has neither"), (#"{"color_temp":3}"#, "'color_temp' is 3"),
        (#"{"transition":-1}"#, "'transition' is not"), (#"{"transition":1e300}"#, "'transition' is not"),
        ("{", "JSON"), (#"{"brightness_step":1e9}"#, "'brightness_step'"), ("nan", "'brightness'"),
    ])
    func `what is no command is refused with what is wrong`(_ payload: String, _ words: String) {
        do {
            _ = try Self.reader.light(Array(payload.utf8))
            Issue.record("'\(payload)' is taken")
        } catch let error as ErrorReply {
            #expect(error.error.message.contains(words), "\(payload): \(error.error.message)")
            #expect(error.error.code == .invalid)
        } catch {
            Issue.record("\(error)")
        }
    }
}
