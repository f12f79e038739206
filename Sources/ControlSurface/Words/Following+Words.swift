import ControlProtocol
import Khipu
import Lighting

extension Message.Following {
    func words(in home: Directory) -> String {
        switch self {
        case let .follow(course, on: target, values, until, resumesAfter):
            course.words(on: home.name(of: target))
                + (values.count == 1 ? ", \(values.first?.words ?? "") only" : "")
                + (until.map { " until \($0)" } ?? "")
                + (resumesAfter.map { ", again \($0.timeText) after a change by hand" } ?? "")
        case let .following(course, on: target, _): course.words(on: home.name(of: target))
        case let .unfollow(target), let .unfollowing(target, _): "let \(home.name(of: target)) follow nothing"
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
        case let .wall(name): name.isEmpty ? "a wall switch" : "wall switch \(name)"
        case .power: "returning power"
        case .elsewhere: "another app or a switch"
        case .unseen: "somebody while its bridge was not connected"
        }
    }
}
