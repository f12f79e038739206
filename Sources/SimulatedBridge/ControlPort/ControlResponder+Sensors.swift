import FoundationEssentials
import HueWire

extension ControlResponder {
    /// Makes an accessory report a value or an event.
    func sensor(_ id: String, _ what: String, _ body: JSONValue) async throws(ControlError) -> BridgeResponse {
        if let area = await core.home.motionArea(called: id) { return try await self.area(area, what, body) }
        guard let accessory = await core.home.accessory(called: id) else {
            throw ControlError(404, "there is no sensor or switch '\(id)'")
        }
        if what == "battery" { return try await battery(of: accessory, body) }
        let date = await core.today()
        let reports = try Self.reports(what, body, at: date)
        for report in reports {
            guard accessory.services.contains(where: { report.isOf($0) }) else {
                throw ControlError(404, "'\(accessory.name)' has no '\(what)' of that number")
            }
        }
        for report in reports {
            guard accessory.isEnabled(report.service) else {
                throw ControlError(409, "'\(what)' of '\(accessory.name)' is switched off and does not report")
            }
            await core.report(accessory.id, report)
        }
        return .json(["sensor": .string(accessory.name), "reported": .string(what)] as JSONValue)
    }

    /// Lets somebody move in an area of lamps, or not; or lets its lamps be able to notice it, or not.
    private func area(_ area: JSONValue, _ what: String, _ body: JSONValue) async throws(ControlError) -> BridgeResponse
    {
        guard let id = area["id"]?.string.map({ ResourceID($0) }), let name = area["name"] else {
            throw ControlError(404, "there is no such area")
        }
        switch what {
        case "motion":
            let isSeen = body["motion"]?.bool ?? true
            let changes = await core.home.reporting(isSeen, in: area, at: core.today())
            guard !changes.isEmpty else {
                throw ControlError(409, "'\(name.string ?? "")' is switched off or not running, and notices nothing")
            }
            await core.alter(by: changes)
        case "health":
            guard let health = body["health"]?.string, MotionArea.healths.contains(health) else {
                throw ControlError(400, "health must be one of \(MotionArea.healths.joined(separator: ", "))")
            }
            await core.alter(by: [.replacing(.stored(id, by: area.with("health", .string(health))))])
        default: throw ControlError(404, "unknown report '\(what)' of an area; known: motion, health")
        }
        return .json(["sensor": name, "reported": .string(what)] as JSONValue)
    }

    /// Drains a battery, or puts in a new one.
    private func battery(of accessory: Accessory, _ body: JSONValue) async throws(ControlError) -> BridgeResponse {
        guard let percent = body["percent"]?.int, (0...100).contains(percent) else {
            throw ControlError(400, "percent must be a number from 0 to 100")
        }
        await core.alter(by: [.updating(.accessory(accessory.id, by: [.setting(.battery(to: percent))]))])
        return .json(["sensor": .string(accessory.name), "reported": "battery"] as JSONValue)
    }

    private static func reports(_ what: String, _ body: JSONValue, at date: Date) throws(ControlError)
        -> [Accessory.Change.Reporting]
    {
        func number<Value>(_ name: String, _ value: Value?, _ words: String) throws(ControlError) -> Value {
            guard let value else { throw ControlError(400, "\(name) must be \(words)") }
            return value
        }
        switch what {
        case "motion": return [.motion(body["motion"]?.bool ?? true, at: date)]
        case "contact": return [.contact(try number("closed", body["closed"]?.bool, "true or false"), at: date)]
        case "light_level":
            let level = body["light_level"]?.int.flatMap { (0...100_000).contains($0) ? $0 : nil }
            return [.lightLevel(try number("light_level", level, "a number from 0 to 100000"), at: date)]
        case "temperature":
            let degrees = body["temperature"]?.double.flatMap { (-100...100).contains($0) ? $0 : nil }
            return [.temperature(try number("temperature", degrees, "a number of degrees Celsius"), at: date)]
        case "button":
            let button = body["button"]?.int ?? 1
            guard let event = body["event"]?.string else {
                return [.button(button, "initial_press", at: date), .button(button, "short_release", at: date)]
            }
            guard Accessory.buttonEvents.contains(event) else {
                throw ControlError(400, "event must be one of \(Accessory.buttonEvents.joined(separator: ", "))")
            }
            return [.button(button, event, at: date)]
        case "rotate":
            let steps = body["steps"]?.int.flatMap { (-32_767...32_767).contains($0) ? $0 : nil }
            let duration = body["duration"]?.int ?? 400
            return [
                .rotation(
                    Accessory.Rotation(
                        steps: try number("steps", steps, "a number from -32767 to 32767"), milliseconds: duration),
                    at: date)
            ]
        default:
            throw ControlError(
                404,
                "unknown report '\(what)'; known reports: "
                    + "motion, light_level, temperature, contact, battery, button, rotate"
            )
        }
    }
}

extension Accessory {
    static let buttonEvents = [
        "initial_press", "repeat", "short_release", "long_press", "long_release", "double_short_release",
    ]
}

extension Accessory.Change.Reporting {
    fileprivate func isOf(_ service: Accessory.Service) -> Bool {
        guard service.type == self.service else { return false }
        if case let .button(number, _, _) = self { return service.control == number }
        return true
    }
}
