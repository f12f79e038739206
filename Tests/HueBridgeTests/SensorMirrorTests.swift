import Foundation
import HueWire
import Khipu
import Lighting
import TestSupport
import Testing

@testable import HueBridge

/// What bridges report of sensors and switches, with every way in which they repeat, hold back and forget it.
struct SensorMirrorTests {
    private static let device = ResourceReference("dial", .device)
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)
    private static let now = Timestamp(milliseconds: 1_790_000_100_000)
    private static let dial = Sensor.ID(bridge: Bridge.ID("b"), resource: "dial")

    private static func time(_ seconds: Double) -> ReportTime {
        ReportTime(
            start.addingTimeInterval(seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    private static func report(_ value: SensorReport.Value, _ seconds: Double) -> SensorReport {
        SensorReport(value, at: time(seconds))
    }

    private static func button(_ number: Int, _ report: SensorReport?) -> Resource {
        .sensor(
            SensorResource(
                id: ResourceID("button\(number)"), type: .button, owner: device, control: number, report: report))
    }

    private static func motion(_ report: SensorReport?) -> Resource {
        .sensor(SensorResource(id: "motion", type: .motion, owner: device, isEnabled: true, report: report))
    }

    private static func event(_ resources: [Resource], at seconds: Double) -> EventContainer {
        EventContainer(.update, resources, created: time(seconds))
    }

    private func mirror(_ resources: Resource...) -> HomeMirror {
        var mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
        let device = DeviceResource(id: "dial", metadata: Metadata(name: "Dial"))
        _ = mirror.load([.device(device)] + resources, at: Self.now)
        return mirror
    }

    private func reports(_ effects: HomeMirror.Effects) -> [Sensor.Report] {
        effects.updates.compactMap { if case let .sensor(Self.dial, report) = $0 { report } else { nil } }
    }

    private func hear(_ mirror: inout HomeMirror, _ events: EventContainer...) -> [Sensor.Report] {
        reports(mirror.apply(events, at: Self.now, .seconds(1)))
    }

    private func sensor(_ mirror: HomeMirror) throws -> Sensor { try #require(mirror.resources.sensor("dial")) }

    /// It would be worse to say that nobody is there.
    @Test func `what a disabled sensor reported is not known, also if its bridge repeats it or enables it again`()
        throws
    {
        var mirror = mirror(Self.motion(Self.report(.motion(false), 1)))
        func enabled(_ isEnabled: Bool, _ report: SensorReport? = nil, at seconds: Double) -> EventContainer {
            let part = SensorResource(
                id: "motion", type: .motion, owner: Self.device, isEnabled: isEnabled, report: report)
            return Self.event([.sensor(part)], at: seconds)
        }
        #expect(hear(&mirror, enabled(false, at: 2)) == [])
        #expect(try sensor(mirror).motion == nil && !sensor(mirror).isEnabled)
        #expect(hear(&mirror, enabled(false, Self.report(.motion(false), 1), at: 3)) == [])
        #expect(try sensor(mirror).motion == nil)
        #expect(hear(&mirror, enabled(true, at: 4)) == [])
        #expect(try sensor(mirror).motion == nil && sensor(mirror).isEnabled)
        #expect(hear(&mirror, Self.event([Self.motion(Self.report(.motion(true), 5))], at: 5)).map(\.motion) == [true])
    }

    @Test func `a press is told once, however often it is repeated`() throws {
        var mirror = mirror(Self.button(1, nil), Self.button(2, nil))
        let pressed = Self.event([Self.button(2, Self.report(.button("initial_press"), 5))], at: 6)
        let released = Self.event([Self.button(2, Self.report(.button("short_release"), 5))], at: 6)
        #expect(hear(&mirror, pressed) == [Sensor.Report(press: .init(2, .pressed))])
        #expect(hear(&mirror, pressed, pressed) == [])
        #expect(hear(&mirror, released) == [Sensor.Report(press: .init(2, .released, after: .zero))])
        #expect(hear(&mirror, pressed, released) == [])
        #expect(try sensor(mirror).buttons.map(\.last?.value) == [nil, .released])
    }

    @Test func `an old press that a bridge repeats is no press, whether it is known or not`() throws {
        let old = Self.report(.button("initial_press"), -300)
        for known in [old, nil] {
            var mirror = mirror(Self.button(1, known))
            #expect(hear(&mirror, Self.event([Self.button(1, old)], at: 10)) == [])
            #expect(try sensor(mirror).buttons.first?.last?.value == .pressed)
        }
    }

    @Test func `a press that was missed is caught up as state, and nothing that is read is a press`() throws {
        var mirror = mirror(Self.button(1, Self.report(.button("short_release"), -300)), Self.motion(nil))
        let missed = Self.report(.button("initial_press"), -2)
        let read = [Self.button(1, missed), Self.motion(Self.report(.motion(true), -1))]
        let (effects, isNew) = mirror.refresh(sensors: read, isPolled: false, at: Self.now, .seconds(2))
        #expect(isNew && reports(effects) == [])
        let sensor = try sensor(mirror)
        #expect(sensor.buttons.first?.last?.value == .pressed && sensor.motion?.value == true)
        #expect(effects.updates.last == .changed(.sensor(sensor)))
        // The stream brings it late all the same.
        #expect(hear(&mirror, Self.event([Self.button(1, missed)], at: -2)) == [])
    }

    @Test func `after a reconnect only what happens then is told`() throws {
        var mirror = mirror(Self.button(1, nil), Self.motion(Self.report(.motion(false), -100)))
        #expect(hear(&mirror, Self.event([Self.button(1, Self.report(.button("initial_press"), 5))], at: 5)).count == 1)
        mirror.lose()
        let meanwhile = Self.report(.button("short_release"), 20)
        let everything = [Self.button(1, meanwhile), Self.motion(Self.report(.motion(true), 21))]
        let device = Resource.device(DeviceResource(id: "dial", metadata: Metadata(name: "Dial")))
        #expect(reports(mirror.load([device] + everything, at: Self.now)) == [])
        let ghosts = Self.event(everything, at: 22)
        #expect(hear(&mirror, ghosts) == [])
        let next = Self.event([Self.button(1, Self.report(.button("initial_press"), 23))], at: 23)
        #expect(hear(&mirror, next) == [Sensor.Report(press: .init(1, .pressed))])
    }

    @Test func `a bridge that forgets its presses in a restart cannot make them happen again`() throws {
        let press = Self.report(.button("initial_press"), 5)
        var mirror = mirror(Self.button(1, nil))
        #expect(hear(&mirror, Self.event([Self.button(1, press)], at: 5)).count == 1)
        _ = mirror.load([Self.button(1, nil)], at: Self.now)
        #expect(hear(&mirror, Self.event([Self.button(1, press)], at: 6)) == [])
        #expect(try sensor(mirror).buttons.first?.last?.value == .pressed)
    }

    @Test func `a press without a time is state, for nobody can tell it from one that is repeated`() throws {
        var mirror = mirror(Self.button(1, nil))
        let press = SensorReport(.button("initial_press"), at: nil)
        #expect(hear(&mirror, Self.event([Self.button(1, press)], at: 5)) == [])
        #expect(try sensor(mirror).buttons.first?.last?.value == .pressed)
    }

    @Test func `presses of one moment that come in the wrong order are both told, and the state is the later one`()
        throws
    {
        var mirror = mirror(Self.button(1, nil))
        let pressed = Self.event([Self.button(1, Self.report(.button("initial_press"), 5))], at: 5)
        let released = Self.event([Self.button(1, Self.report(.button("short_release"), 6))], at: 6)
        #expect(hear(&mirror, released, pressed).compactMap(\.press?.kind) == [.released, .pressed])
        #expect(try sensor(mirror).buttons.first?.last?.value == .released)
    }

    @Test func `motion that a later report has overtaken is not told`() throws {
        var mirror = mirror(Self.motion(Self.report(.motion(false), 0)))
        let seen = Self.event([Self.motion(Self.report(.motion(true), 5))], at: 5)
        let gone = Self.event([Self.motion(Self.report(.motion(false), 6))], at: 6)
        #expect(hear(&mirror, gone, seen) == [])
        #expect(try sensor(mirror).motion?.value == false)
    }

    @Test(arguments: [-3600, 3600, -31_536_000] as [Double])
    func `a bridge whose clock is wrong or was set back is believed`(offset: Double) throws {
        var mirror = mirror(
            Self.motion(Self.report(.motion(false), 0)), Self.button(1, Self.report(.button("repeat"), 0)))
        let seen = Self.event([Self.motion(Self.report(.motion(true), offset))], at: offset)
        #expect(hear(&mirror, seen) == [Sensor.Report(motion: true)])
        let press = Self.event([Self.button(1, Self.report(.button("initial_press"), offset))], at: offset)
        #expect(hear(&mirror, press) == [Sensor.Report(press: .init(1, .pressed))])
        #expect(try sensor(mirror).motion?.time == Self.now)
    }

    @Test func `polling tells what has happened since the last poll, and never what the first read finds`() throws {
        var mirror = mirror(
            Self.button(1, Self.report(.button("short_release"), 0)), Self.motion(Self.report(.motion(false), 0)))
        func poll(_ resources: Resource...) -> [Sensor.Report] {
            reports(mirror.refresh(sensors: resources, isPolled: true, at: Self.now, .seconds(2)).0)
        }
        let pressed = Self.button(1, Self.report(.button("initial_press"), 5))
        #expect(poll(pressed) == [Sensor.Report(press: .init(1, .pressed))])
        #expect(poll(pressed) == [])
        #expect(
            poll(Self.button(1, Self.report(.button("short_release"), 5))) == [
                Sensor.Report(press: .init(1, .released, after: .zero))
            ])
        #expect(poll(Self.motion(Self.report(.motion(true), 6))) == [Sensor.Report(motion: true)])
        // A bridge that was restarted may name an older one.
        #expect(poll(Self.button(1, Self.report(.button("initial_press"), -500))) == [])
        mirror.lose()
        _ = mirror.load([Self.button(1, Self.report(.button("repeat"), 50))], at: Self.now)
        #expect(poll(Self.button(1, Self.report(.button("repeat"), 50))) == [])
    }

    @Test func `a switch that was pressed is the cause of what lights do then, and one that is repeated is not`() throws
    {
        let light = LightResource(id: "lamp", owner: ResourceReference("lamp device", .device), on: On(false))
        let press = Self.button(1, Self.report(.button("initial_press"), 5))
        let turned = Resource.light(LightResource(id: "lamp", owner: nil, on: On(true)))
        for (known, source) in [
            (nil, Cause.Kind.accessory("Dial")), (Self.report(.button("initial_press"), 5), .otherApp),
        ] {
            var mirror = mirror(Self.button(1, known), .light(light))
            let effects = mirror.apply([Self.event([turned, press], at: 5)], at: Self.now, .seconds(1))
            let causes = effects.updates.compactMap {
                if case let .light(_, report) = $0 { report.source } else { nil }
            }
            #expect(causes == [source])
        }
    }

    @Test func `a sensor comes, moves, is renamed and goes`() throws {
        var mirror = mirror()
        let device = Resource.device(DeviceResource(id: "dial", metadata: Metadata(name: "Dial")))
        let parts = [Self.motion(Self.report(.motion(false), 0)), Self.button(1, nil)]
        let added = mirror.apply([EventContainer(.add, [device] + parts)], at: Self.now, .seconds(1))
        #expect(added.updates == [.added(.sensor(try sensor(mirror)))])
        func room(_ children: [ResourceReference]) -> Resource {
            .room(GroupResource(id: "hall", metadata: Metadata(name: "Hall"), children: children))
        }
        let hall = Room.ID(bridge: Bridge.ID("b"), resource: "hall")
        _ = mirror.apply([EventContainer(.add, [room([])])], at: Self.now, .seconds(1))
        let moved = mirror.apply([EventContainer(.update, [room([Self.device])])], at: Self.now, .seconds(1))
        #expect(try sensor(mirror).room == hall)
        #expect(moved.updates.contains(.changed(.sensor(try sensor(mirror)))))
        let name = Resource.device(DeviceResource(id: "dial", metadata: Metadata(name: "Knob")))
        let renamed = mirror.apply([EventContainer(.update, [name])], at: Self.now, .seconds(1))
        #expect(renamed.updates == [.changed(.sensor(try sensor(mirror)))])
        #expect(try sensor(mirror).name == "Knob")
        let gone = mirror.apply([EventContainer(.delete, parts + [device])], at: Self.now, .seconds(1))
        #expect(gone.updates.last == .removed(.sensor(Self.dial)))
        #expect(mirror.resources.sensor("dial") == nil && mirror.resources.deviceOfPart.isEmpty)
    }

    @Test func `buttons are numbered as their bridge numbers them, or else from 1 in their order`() throws {
        func numbers(_ controls: [Int?]) throws -> [Int] {
            var mirror = mirror()
            let parts = controls.enumerated().map { place, control in
                Resource.sensor(
                    SensorResource(id: ResourceID("b\(place)"), type: .button, owner: Self.device, control: control))
            }
            _ = mirror.load(parts, at: Self.now)
            return try sensor(mirror).buttons.map(\.number)
        }
        #expect(try numbers([2, 1, 4]) == [1, 2, 4])
        #expect(try numbers([0, 1]) == [1, 2])
        #expect(try numbers([nil, nil, nil]) == [1, 2, 3])
    }

    @Test func `a button that its bridge does not list is known, and told, when it is pressed`() throws {
        var mirror = mirror(Self.button(1, nil))
        let press = Self.button(5, Self.report(.button("initial_press"), 5))
        #expect(!mirror.resources.hasOtherSensors(than: [press], of: [.button]))
        let (effects, _) = mirror.refresh(sensors: [press], isPolled: true, at: Self.now, .seconds(1))
        #expect(reports(effects) == [Sensor.Report(press: .init(5, .pressed))])
        #expect(try sensor(mirror).buttons.map(\.number) == [1, 5])
        let (again, _) = mirror.refresh(sensors: [press], isPolled: true, at: Self.now, .seconds(2))
        #expect(reports(again) == [])
    }

    @Test func `the battery of a lamp makes it no sensor`() throws {
        var mirror = mirror()
        let battery = SensorResource(
            id: "power", type: .devicePower, owner: Self.device, report: SensorReport(.battery(50), at: nil))
        _ = mirror.load([.sensor(battery)], at: Self.now)
        #expect(mirror.resources.allSensors == [])
        let event = EventContainer(.update, [.sensor(battery)])
        #expect(mirror.apply([event], at: Self.now, .seconds(1)).updates == [])
    }

    // MARK: - Laws

    private struct Happening {
        let resource: Resource
        let seconds: Double
    }

    /// Presses and motion of a quarter of an hour, reported by a stream that repeats, swaps and loses frames, with losses of
    /// the connection, full reads, audits, restarts that forget, and ghosts after each: each press is told at most once, and
    /// only while it is new; none is told that was not made, and at the end the state is the bridge's.
    @Test(arguments: seeds(60 as UInt64))
    func `each press is told at most once, and only if it has just happened`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var mirror = mirror(Self.button(1, nil), Self.button(2, nil), Self.motion(nil))
        let device = Resource.device(DeviceResource(id: "dial", metadata: Metadata(name: "Dial")))
        var bridge: [ResourceID: Resource] = [:]
        var pending: [(EventContainer, made: Double)] = []
        var (made, told): ([Double: Sensor.Report], [(Sensor.Report, at: Double)]) = ([:], [])
        var isConnected = true
        for second in stride(from: 1.0, to: 900, by: 1) {
            if Int.random(in: 0..<3, using: &random) == 0 {
                let isMotion = Bool.random(using: &random)
                let number = Int.random(in: 1...2, using: &random)
                let kind = [("initial_press", ButtonPress.pressed), ("repeat", .held)].randomElement(using: &random)
                let (name, press) = try #require(kind)
                let isSeen = Bool.random(using: &random)
                let resource =
                    isMotion
                    ? Self.motion(Self.report(.motion(isSeen), second))
                    : Self.button(number, Self.report(.button(name), second))
                bridge[resource.sensorID] = resource
                made[second] =
                    isMotion ? Sensor.Report(motion: isSeen) : Sensor.Report(press: .init(number, press))
                if isConnected { pending.append((Self.event([resource], at: second), second)) }
            }
            switch Int.random(in: 0..<40, using: &random) {
            case 0 where isConnected:
                mirror.lose()
                (isConnected, pending) = (false, [])
            case 1 where !isConnected, 2 where isConnected:
                isConnected = true
                let everything = Array(bridge.values) + [Self.button(1, nil), Self.button(2, nil), Self.motion(nil)]
                let known = everything.filter { resource in resource.hasReport || bridge[resource.sensorID] == nil }
                #expect(reports(mirror.load([device] + known, at: Self.now)) == [])
                // Ghosts: every last report again, now.
                pending = [(Self.event(Array(bridge.values), at: second), second)]
            case 3:
                let (effects, _) = mirror.refresh(
                    sensors: Array(bridge.values), isPolled: false, at: Self.now, .seconds(second))
                #expect(reports(effects) == [])
            case 4 where pending.count > 1: pending.swapAt(0, pending.count - 1)
            case 5: _ = pending.popLast()
            default: break
            }
            guard isConnected, Bool.random(using: &random) else { continue }
            for (event, _) in pending {
                for _ in 0...Int.random(in: 0...1, using: &random) {
                    told += hear(&mirror, event).map { ($0, second) }
                }
            }
            pending = []
        }
        // Each was made, not long before it was told, and no more often than it was made.
        var left = made
        for (report, second) in told {
            let origin = left.filter { $0.value == report && $0.key <= second }.keys.max()
            let time = try #require(origin, "\(report) at \(second) was not made")
            #expect(second - time < 60)
            left[time] = nil
        }
        #expect(told.contains { $0.0.press != nil } && told.contains { $0.0.motion != nil })
        _ = mirror.refresh(sensors: Array(bridge.values), isPolled: false, at: Self.now, .seconds(1000))
        let sensor = try sensor(mirror)
        for resource in bridge.values {
            guard case let .sensor(part) = resource, let report = part.report else { continue }
            #expect(mirror.resources.sensors["dial"]?.parts[part.id]?.report == report)
            if case let .motion(isSeen) = report.value { #expect(sensor.motion?.value == isSeen) }
        }
    }
}

extension Resource {
    fileprivate var sensorID: ResourceID { if case let .sensor(part) = self { part.id } else { "" } }
    fileprivate var hasReport: Bool { if case let .sensor(part) = self { part.report != nil } else { false } }
}
