public import ControlProtocol
import HashTreeCollections
import Khipu
import Lighting

extension Directory {
    /// What lights follow, oldest first.
    public var followingBodies: [FollowingBody] { state.followings.all.map { body(of: $0) } }

    func body(of following: Following) -> FollowingBody {
        let lights = lights(of: following.target).filter { state.followings.leads(following, $0, in: state) }
        return FollowingBody(
            target: text(naming: following.target), course: following.course.name, kind: following.course.kind,
            values: state.followings.values(of: following).sorted(), since: following.started.iso8601(in: time),
            until: following.until?.iso8601(in: time), resumeAfter: following.resumesAfter.map { $0 / .seconds(1) },
            lights: lights.count,
            paused: lights.count { state.followings.lights[$0.id]?.pauses.isEmpty == false })
    }

    /// The curves that lights can follow, by name.
    public var curveBodies: [CurveBody] {
        state.followings.curveNames.compactMap { name in
            state.followings.curve(named: name).map {
                CurveBody(
                    name: name, points: $0.keyframes.map(\.description), isBuiltIn: Curve.builtIn[name] != nil,
                    isUserDefined: state.followings.ownCurves[name] != nil)
            }
        }
    }

    /// What of a light follows something; `nil` if nothing does.
    func follows(of light: Light) -> [FollowedValueBody]? {
        guard !state.followings.all.isEmpty else { return nil }
        let pauses = state.followings.lights[light.id]?.pauses ?? [:]
        let follows = FollowedValue.allCases.filter { light.can($0) }.compactMap { value in
            state.followings.leader(of: value, at: light.id, in: state).map { following in
                FollowedValueBody(
                    value: value, course: following.course.name, target: text(naming: following.target),
                    paused: pauses[value]?.cause.body(in: self))
            }
        }
        return follows.isEmpty ? nil : follows
    }
}

extension Following.Course {
    fileprivate var kind: FollowingBody.Kind {
        switch self {
        case .curve: .curve
        case .wakeUp: .wake
        case .sleep: .sleep
        }
    }
}

extension Message.Following {
    func words(in home: Directory) -> String {
        switch self {
        case let .follow(course, on: target, values, until, resumesAfter):
            course.words(on: home.name(of: target))
                + (values.count == 1 ? ", \(values.first?.words ?? "") only" : "")
                + (until.map { " until \($0)" } ?? "")
                + (resumesAfter.map { ", again \($0.timeText) after a change by hand" } ?? "")
        case let .following(course, on: target, _): course.words(on: home.name(of: target))
        case let .unfollow(target, timed: true?): "end what runs on \(home.name(of: target))"
        case let .unfollow(target, _), let .unfollowing(target, _): "let \(home.name(of: target)) follow nothing"
        case let .resume(target), let .resuming(target, _): "let \(home.name(of: target)) follow again"
        case let .draw(curve?, named: name), let .drawing(curve?, named: name, _):
            "set curve '\(name)': \(curve.keyframes.map(\.description).joined(separator: "; "))"
        case let .draw(nil, named: name), let .drawing(nil, named: name, _): "remove curve '\(name)'"
        case let .paused(lights, values, cause):
            "left alone: the \(values.sorted().map(\.words).joined(separator: " and the ")) of "
                + "\(home.names(of: lights.map { .light($0) })), changed by \(cause.hand(in: home))"
        case let .resumed(lights): "\(home.names(of: lights.map { .light($0) })) followed again"
        case let .ended(course, on: target): "\(course.name) on \(home.name(of: target)) ended"
        }
    }
}

extension Following.Course {
    fileprivate func words(on target: String) -> String {
        switch self {
        case let .curve(name): "let \(target) follow \(name)"
        case let .wakeUp(over: time): "wake \(target) over \(time.timeText)"
        case let .sleep(over: time): "put \(target) to sleep over \(time.timeText)"
        }
    }
}

extension Cause {
    /// "page (Ada)", "scene Living/Relax", "wall switch Hall"
    fileprivate func hand(in home: Directory) -> String {
        switch kind {
        case let .command(ticket): ticket.holder
        case let .scene(scene, by: _): home.name(of: scene)
        case let .accessory(name): name.isEmpty ? "a wall switch" : "wall switch \(name)"
        case .power: "returning power"
        case .otherApp: "another app or a switch"
        case .unseen: "somebody while its bridge was not connected"
        }
    }
}
