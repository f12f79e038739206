import ControlProtocol
import FoundationEssentials
import HueWire
import Lighting
import MQTT

/// What a message on a topic that takes commands asks for. Payloads come from anybody on the broker: what cannot be read is
/// said, and never guessed.
struct CommandReader {
    /// As commands take it, with lights and rooms by their ids.
    let target: String

    /// The longest payload that is read.
    static let longestPayload = 64 * 1024

    /// Home Assistant's JSON, zigbee2mqtt's, "ON", "OFF", "TOGGLE", or a number: the brightness, 0…254.
    ///
    /// - Throws: ``ErrorReply`` with what is wrong.
    func light(_ payload: [UInt8]) throws -> Command {
        let text = try Self.text(payload)
        switch text.uppercased() {
        case "ON": return .turn(to: .on, target: target)
        case "OFF": return .turn(to: .off, target: target)
        case "TOGGLE": return .toggle(target: target)
        default: break
        }
        if let level = Double(text) { return try command(LightFields(brightness: level)) }
        guard text.hasPrefix("{") else {
            throw ErrorReply(
                .invalid, "'\(text.prefix(40))' is no command for a light",
                hint: "send ON, OFF, TOGGLE, a number or JSON")
        }
        return try command(try Self.decoded(payload))
    }

    private func command(_ fields: LightFields) throws -> Command {
        let over = try fields.transition.map { try Self.milliseconds($0) }
        if let seconds = fields.flash {
            guard (0...65_534).contains(seconds) else {
                throw ErrorReply(.invalid, "'flash' is not from 0 to 65534 seconds")
            }
            return .signal(target: target, duration: max(1, Int(seconds.rounded(.up))) * 1000)
        }
        switch fields.state?.uppercased() {
        case "OFF": return .turn(to: .off, target: target, over: over)
        case "TOGGLE": return .toggle(target: target, over: over)
        case nil, "ON": break
        case let other?: throw ErrorReply(.invalid, "'\(other.prefix(40))' is no state: send ON, OFF or TOGGLE")
        }
        if let step = fields.brightnessStep {
            guard step.magnitude <= 254 else { throw ErrorReply(.invalid, "'brightness_step' is not from -254 to 254") }
            let points = step.magnitude / 2.53
            return step < 0
                ? .decrease(.brightness, by: points, target: target, over: over)
                : .increase(.brightness, by: points, target: target, over: over)
        }
        if fields.brightness == 0 { return .turn(to: .off, target: target, over: over) }
        let values = try fields.values
        return values == LightValuesBody()
            ? .turn(to: .on, target: target, over: over) : .set(values, target: target, over: over)
    }

    /// "ON" or "OFF".
    static func flag(_ payload: [UInt8]) throws -> Bool {
        switch try text(payload).uppercased() {
        case "ON", "TRUE", "1": return true
        case "OFF", "FALSE", "0": return false
        case let other: throw ErrorReply(.invalid, "'\(other.prefix(40))' is neither ON nor OFF")
        }
    }

    /// "recall", or JSON: `{"transition":2,"dynamic":true,"speed":50}`.
    static func recall(_ scene: String, _ payload: [UInt8]) throws -> Command {
        let text = try text(payload)
        guard text.hasPrefix("{") else {
            guard ["recall", "on"].contains(text.lowercased()) else {
                throw ErrorReply(
                    .invalid, "'\(text.prefix(40))' is no command for a scene", hint: "send 'recall' or JSON")
            }
            return .recall(scene: scene)
        }
        let fields: RecallFields = try decoded(payload)
        return .recall(
            scene: scene, over: try fields.transition.map { try milliseconds($0) }, dynamic: fields.dynamic,
            speed: fields.speed)
    }

    static func text(_ payload: [UInt8]) throws -> String {
        guard payload.count <= longestPayload else {
            throw ErrorReply(.invalid, "the payload has \(payload.count) bytes: at most \(longestPayload) are read")
        }
        guard let text = String(validating: payload, as: UTF8.self) else {
            throw ErrorReply(.invalid, "the payload is not UTF-8")
        }
        return String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    private static func decoded<Fields: Decodable>(_ payload: [UInt8]) throws -> Fields {
        do {
            return try JSONDecoder().decode(Fields.self, from: Data(payload))
        } catch let error as ErrorReply {
            throw error
        } catch let error as DecodingError {
            throw ErrorReply(.invalid, error.words(in: Data(payload), called: "the JSON"))
        }
    }

    /// - Parameter seconds: 0…6000, as bridges take it.
    private static func milliseconds(_ seconds: Double) throws -> Int {
        guard (0...6000).contains(seconds) else {
            throw ErrorReply(.invalid, "'transition' is not from 0 to 6000 seconds")
        }
        return Int((seconds * 1000).rounded())
    }
}

private struct RecallFields: Decodable {
    let transition: Double?
    let dynamic: Bool?
    let speed: Double?
}

/// The fields that are read of a light's JSON. Others are left alone: Home Assistant and zigbee2mqtt have more.
private struct LightFields: Decodable {
    var state: String?
    /// 0…254.
    var brightness: Double?
    var brightnessStep: Double?
    /// Below 1000 mired, from 1000 kelvin; 1000 is the same in both.
    var temperature: Double?
    var color: Color?
    var effect: String?
    /// In seconds.
    var transition: Double?
    var flash: Double?

    struct Color: Decodable {
        let x, y, r, g, b, h, s, hue, saturation: Double?
        let hex: String?
    }

    private enum CodingKeys: String, CodingKey {
        case state, brightness, color, effect, transition, flash
        case brightnessStep = "brightness_step"
        case temperature = "color_temp"
    }

    init(brightness: Double) { self.brightness = brightness }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        state = try container.decodeIfPresent(String.self, forKey: .state)
        brightness = try container.decodeIfPresent(Double.self, forKey: .brightness)
        brightnessStep = try container.decodeIfPresent(Double.self, forKey: .brightnessStep)
        temperature = try container.decodeIfPresent(Double.self, forKey: .temperature)
        color = try container.decodeIfPresent(Color.self, forKey: .color)
        effect = try container.decodeIfPresent(String.self, forKey: .effect)
        transition = try container.decodeIfPresent(Double.self, forKey: .transition)
        if let word = try? container.decode(String.self, forKey: .flash) {
            flash = word == "long" ? 10 : 2
        } else {
            flash = try container.decodeIfPresent(Double.self, forKey: .flash)
        }
    }

    var values: LightValuesBody {
        get throws {
            var values = LightValuesBody()
            if let brightness {
                guard (0...255).contains(brightness) else {
                    throw ErrorReply(.invalid, "'brightness' is \(brightness), and not from 0 to 254")
                }
                values.brightness = LightPayload.percent(min(brightness, 254))
            }
            if let temperature {
                guard (100...100_000).contains(temperature) else {
                    throw ErrorReply(.invalid, "'color_temp' is \(temperature): neither mired nor kelvin of a lamp")
                }
                values.temperature = Int((temperature < 1000 ? temperature : 1_000_000 / temperature).rounded())
            }
            if let color { try color.add(to: &values) }
            if let effect {
                values.effect = effect == LightPayload.noEffect ? LightValuesBody.noEffect : effect
            }
            return values
        }
    }
}

extension LightFields.Color {
    fileprivate func add(to values: inout LightValuesBody) throws {
        if let x, let y {
            values.color = "xy(\(x),\(y))"
        } else if let r, let g, let b {
            func channel(_ value: Double) -> Int { Int(min(max(value, 0), 255).rounded()) }
            values.color = "rgb(\(channel(r)),\(channel(g)),\(channel(b)))"
        } else if let hue = h ?? hue, let saturation = s ?? saturation {
            (values.hue, values.saturation) = (hue, saturation)
        } else if let hex {
            values.color = hex.hasPrefix("#") ? hex : "#\(hex)"
        } else {
            throw ErrorReply(.invalid, "'color' has neither x and y, nor r, g and b, nor h and s, nor hex")
        }
    }
}
