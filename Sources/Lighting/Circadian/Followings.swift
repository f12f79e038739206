public import HashTreeCollections
import Khipu

/// What follows what: the followings, the curves that people have drawn, and of each light that follows something, which
/// of its values a person has taken over. A value without a clock: the time, the lights and who changed them come in, and
/// what is to be sent, and when to look again, goes out.
///
/// A hand wins: a value that anybody else sets is left alone until the light was off, or somebody says that it follows
/// again. What is late, rounded or limited by a lamp is no hand: only a change with a new cause counts, and only of a
/// value that was not asked for lately.
public struct Followings: Equatable, Sendable {
    /// Oldest first. Of several that lead a value of a light, the newest does.
    public private(set) var all: [Following]
    /// Those that people have drawn, by name in lower case.
    public private(set) var ownCurves: [String: Curve]
    public private(set) var lights: TreeDictionary<Light.ID, FollowedLight>
    /// When the last steps of each were sent.
    private var stepped: [Following.ID: Timestamp] = [:]
    /// What the last read of a bridge lacked that is followed.
    private var missing: Set<Following.ID> = []

    /// One of ``all``, where `Following` means something else.
    public typealias Item = Following

    /// How far to look for the next step, in steps.
    private static let looks = Array(0..<8) + Array(stride(from: 10, through: 120, by: 10))
    /// How long a light takes to go over to what it follows, if it does not come on just now.
    static let faded = Transition.milliseconds(2000)

    public init(
        _ all: [Following] = [], curves: [String: Curve] = [:],
        lights: TreeDictionary<Light.ID, FollowedLight> = [:]
    ) {
        (self.all, self.ownCurves, self.lights) = (all, curves, lights)
    }

    /// With what is remembered of the lights from before a restart.
    func remembering(_ lights: TreeDictionary<Light.ID, FollowedLight>) -> Self {
        Self(all, curves: ownCurves, lights: lights)
    }

    public func curve(named name: String) -> Curve? {
        ownCurves[name.lowercased()] ?? Curve.builtIn[name.lowercased()]
    }

    /// In alphabetical order.
    public var curveNames: [String] { Set(ownCurves.keys).union(Curve.builtIn.keys).sorted() }

    /// The following that leads a value of a light; `nil` if none does.
    public func leader(of value: FollowedValue, at light: Light.ID, in state: AppState) -> Following? {
        all.last { values(of: $0).contains(value) && $0.leads(light, in: state) }
    }

    /// What a following sets: of a curve, no more than it has.
    public func values(of following: Following) -> Set<FollowedValue> {
        guard case let .curve(name) = following.course, let curve = curve(named: name) else { return following.values }
        return following.values.intersection(curve.values)
    }

    /// Whether something else is followed or left alone than before, and not only something else asked of lights.
    public func rendersDifferently(from other: Self) -> Bool {
        guard lights != other.lights || all != other.all else { return false }
        func pauses(_ followings: Self) -> [Light.ID: Set<FollowedValue>] {
            followings.lights.reduce(into: [:]) {
                if !$1.value.pauses.isEmpty { $0[$1.key] = Set($1.value.pauses.keys) }
            }
        }
        return all != other.all || pauses(self) != pauses(other)
    }

    func isFollowed(_ light: Light.ID, in state: AppState) -> Bool { all.contains { $0.leads(light, in: state) } }

    /// Whether a light takes anything of a following: a plug takes nothing of a curve, but a sunrise turns it on.
    public func leads(_ following: Following, _ light: Light, in state: AppState) -> Bool {
        guard following.leads(light.id, in: state) else { return false }
        guard case .curve = following.course else { return true }
        return values(of: following).contains(where: light.can)
    }

    private func followedValues(_ light: Light, in state: AppState) -> Set<FollowedValue> {
        Set(FollowedValue.allCases.filter { light.can($0) && leader(of: $0, at: light.id, in: state) != nil })
    }

    // MARK: - What people ask for

    /// Its lights follow it from now on, also what was changed by hand. It takes the place of one of its kind on the same
    /// target.
    mutating func start(_ following: Following, in state: AppState) {
        let members = Following.members(of: following.target, in: state)
        // Lights that a sunrise has turned on are its own: another one begins with them.
        let own = all.filter { $0.course.isWakeUp }.flatMap { sunrise in
            members.filter { sunrise.leads($0, in: state) && !sunrise.sleeping.contains($0) }
        }
        all.removeAll { $0.id == following.id }
        if following.id.isTimed {
            for index in all.indices where all[index].id.isTimed { all[index].left.formUnion(members) }
        }
        all.append(following.joined(by: members.compactMap { state.lights[$0] }, own: Set(own)))
        for id in members { lights[id]?.begin() }
    }

    /// Ends what a target follows: followings of nothing but its lights end, and its lights leave the others.
    ///
    /// - Parameter onlyTimed: whether curves go on, and only sunrises and sunsets end.
    /// - Returns: whether anything changed.
    mutating func end(_ target: Target, onlyTimed: Bool = false, in state: AppState) -> Bool {
        let members = Set(Following.members(of: target, in: state))
        let before = all
        all = all.compactMap { following in
            if onlyTimed, !following.id.isTimed { return following }
            guard target != .all, following.target != target else { return nil }
            let own = Set(Following.members(of: following.target, in: state)).subtracting(following.left)
            let rest = own.subtracting(members)
            return rest.isEmpty && !own.isEmpty ? nil : following.with { $0.left.formUnion(own.intersection(members)) }
        }
        forgetLights(in: state)
        return all != before
    }

    /// What was changed by hand follows again.
    ///
    /// - Returns: the lights of which something does.
    mutating func resume(_ target: Target, in state: AppState) -> [Light.ID] {
        let paused = Following.members(of: target, in: state).filter { lights[$0]?.pauses.isEmpty == false }
        for id in paused { lights[id]?.resume() }
        return paused.sorted()
    }

    /// - Parameter curve: `nil` removes it; one that lightd has is as it was.
    mutating func draw(_ curve: Curve?, named name: String) {
        ownCurves[name.lowercased()] = curve
        for id in lights.keys { lights[id]?.resume([]) }
    }

    // MARK: - What happens to lights

    /// What a hand has taken over.
    struct Takeover: Equatable, Sendable {
        let light: Light.ID
        let values: Set<FollowedValue>
        let cause: Cause
    }

    /// Looks at lights after something happened, and finds out whether it was a hand.
    ///
    /// - Parameters:
    ///   - command: the one that just came, if any: its ticket, and what it sets of a light by name.
    ///   - undone: the commands that the command with this ticket has taken back.
    ///   - curvePoint: as for ``advance(to:in:curvePoint:)``.
    mutating func observe(
        _ ids: some Sequence<Light.ID>, at now: Timestamp, in state: AppState,
        after command: (ticket: Ticket, sets: (Light.ID) -> Set<FollowedValue>)? = nil,
        undone: (Ticket) -> Set<UInt64> = { _ in [] }, curvePoint: @escaping (String, Timestamp) -> Curve.Point
    ) -> [Takeover] {
        let course = CourseReader(self, state, curvePoint)
        return ids.compactMap { id in
            guard let light = state.lights[id] else { return nil }
            let followedValues = followedValues(light, in: state)
            guard let before = lights[id] else {
                if !followedValues.isEmpty || isFollowed(id, in: state) { lights[id] = FollowedLight(light) }
                return nil
            }
            var followed = before
            let wasTurnedOff = followed.observe(
                light, at: now, followedValues: followedValues, named: command.map { ($0.sets(id), $0.ticket) },
                undone: undone,
                followedPoint: { course.point(of: light, among: followedValues, at: now)?.point ?? Curve.Point() })
            if followed != before { lights[id] = followed }
            let taken = followed.pauses.filter { before.pauses[$0.key] == nil }
            if wasTurnedOff || !taken.isEmpty { leaveTimed(id) }
            return taken.values.first.map { Takeover(light: id, values: Set(taken.keys), cause: $0.cause) }
        }
    }

    /// A command failed: it was no hand, or what it asked of lights was not asked.
    mutating func forget(_ ticket: Ticket) { changeLights { $0.forget(ticket) } }

    /// Bridges have answered a step.
    mutating func hear(answerTo ticket: Ticket) { changeLights { $0.hear(answerTo: ticket) } }

    /// Writes only those that are another then.
    private mutating func changeLights(_ change: (inout FollowedLight) -> Void) {
        for (id, light) in lights {
            var changed = light
            change(&changed)
            if changed != light { lights[id] = changed }
        }
    }

    /// What a run of an automation has set of lights is taken back by its command with this ticket.
    mutating func release(_ ids: [Light.ID], from ticket: Ticket) {
        for id in ids { lights[id]?.release(from: ticket) }
    }

    /// A light that a hand has changed, or that was turned off, is not woken or put to sleep any further.
    private mutating func leaveTimed(_ id: Light.ID) {
        for index in all.indices where all[index].id.isTimed && !all[index].sleeping.contains(id) {
            all[index].left.insert(id)
        }
    }

    /// Lights that follow nothing any more. What a bridge has that was not read yet is not known.
    private mutating func forgetLights(in state: AppState) {
        lights = lights.filter {
            isFollowed($0.key, in: state)
                || all.contains { $0.isOfUnreadBridge(in: state) || $0.isGone(in: state) }
        }
    }

    /// Ends what was of rooms, lights and bridges that no longer exist. What only a read of its bridge lacks, which may be
    /// starting, waits: it ends if the next read lacks it, too.
    ///
    /// - Parameters:
    ///   - removed: what a bridge has just reported as removed.
    ///   - read: the bridge that was just read.
    mutating func forgetGone(in state: AppState, removed: Target? = nil, read: Bridge.ID? = nil) {
        let gone = Set(all.filter { $0.isGone(in: state) }.map(\.id))
        missing.formIntersection(gone)
        all.removeAll { following in
            guard gone.contains(following.id), let bridge = following.bridge else { return false }
            return state.bridges[bridge] == nil || following.target == removed
                || bridge == read && missing.contains(following.id)
        }
        missing.formUnion(all.filter { gone.contains($0.id) && $0.bridge == read }.map(\.id))
        forgetLights(in: state)
    }

    // MARK: - What is to be sent

    /// What is to be sent to lights that follow the same.
    struct Step: Equatable, Sendable {
        let following: Following
        let states: [DesiredState]
        let transition: Transition
        /// Whether it turns lights on or off, and is not only one of many.
        let isTurning: Bool
    }

    /// What is due, and what has happened by the clock alone.
    struct Advance: Equatable, Sendable {
        var steps: [Step] = []
        var ended: [Following] = []
        var resumed: [Light.ID] = []
    }

    /// - Parameter curvePoint: what the curve of this name shows at a time; a value is `nil` if that is not known.
    mutating func advance(
        to now: Timestamp, in state: AppState, curvePoint: @escaping (String, Timestamp) -> Curve.Point
    ) -> Advance {
        var advance = Advance()
        advance.resumed = resumePaused(at: now, in: state)
        var steps = StepCollector(turnedOn(at: now, in: state))
        for following in all where following.isOver(at: now, in: state) {
            end(following, at: now, in: state, &advance, &steps)
        }
        let course = CourseReader(self, state, curvePoint)
        let followers = lights.sorted { $0.key < $1.key }
        for (id, followed) in followers {
            guard let due = followed.due, let (following, point) = course.wanted(id, at: now) else { continue }
            steps.add(point, for: id, in: state, following, due == .immediate ? .usual : Self.faded)
        }
        for (id, followed) in followers where followed.due == nil {
            guard let leader = course.wanted(id, at: now)?.following else { continue }
            let isTime = stepped[leader.id].map { now.since($0) >= leader.interval || now <= $0 } ?? true
            let goal = now.advanced(by: leader.interval)
            guard isTime, let light = state.lights[id], let (following, point) = course.wanted(id, at: goal),
                followed.lacks(point, as: light)
            else { continue }
            steps.add(point, for: id, in: state, following, .over(leader.interval))
            stepped[leader.id] = now
        }
        advance.steps = steps.steps
        return advance
    }

    /// When to look again, once what is due was noted; `nil` if nothing happens by itself.
    func next(after now: Timestamp, in state: AppState, curvePoint: @escaping (String, Timestamp) -> Curve.Point)
        -> Timestamp?
    {
        let next = [nextStep(after: now, in: state, CourseReader(self, state, curvePoint)), nextEnd(in: state)]
        // What goes by the hour is not known before.
        return (next + [now.isPlausible || all.isEmpty ? nil : .earliestPlausible]).compactMap(\.self).min()
    }

    /// A step is about to be sent with this ticket.
    mutating func note(_ step: Step, _ ticket: Ticket) {
        for state in step.states {
            lights[state.light]?.ask(state.point, by: ticket.number, at: ticket.time, isTurning: step.isTurning)
        }
    }

    /// The clock was set: what waits for time to pass waits as long as if it had not been.
    mutating func move(by step: ClockStep) {
        all = all.map { $0.moved(by: step) }
        stepped = stepped.mapValues(step.moved)
        for id in lights.keys { lights[id]?.move(by: step) }
    }

    private mutating func resumePaused(at now: Timestamp, in state: AppState) -> [Light.ID] {
        lights.keys.sorted().filter { id in
            let over = lights[id]?.pauses.filter { value, pause in
                leader(of: value, at: id, in: state)?.resumesAfter.map { pause.time.advanced(by: $0) <= now } ?? false
            }
            guard let over, !over.isEmpty else { return false }
            lights[id]?.resume(Set(over.keys))
            return true
        }
    }

    /// The lights that a sunrise turns on now.
    private mutating func turnedOn(at now: Timestamp, in state: AppState) -> [Step] {
        all.indices.compactMap { index in
            let following = all[index]
            let ready = following.sleeping.filter { state.lights[$0].map { !$0.isUnavailable } ?? false }
            guard !ready.isEmpty, let progress = following.progress(at: now) else { return nil }
            all[index].sleeping.subtract(ready)
            let (off, on) = (
                ready.filter { state.lights[$0]?.power == .off }, ready.filter { state.lights[$0]?.power == .on }
            )
            // Somebody was faster.
            all[index].left.formUnion(on)
            guard !off.isEmpty else { return nil }
            for id in off where lights[id] == nil { lights[id] = state.lights[id].map(FollowedLight.init) }
            let point = Curve.sunrise(progress)
            return Step(
                following: following,
                states: off.sorted().compactMap { state.lights[$0]?.desired(point, power: .on) },
                transition: .usual, isTurning: true)
        }
    }

    /// Its time is over.
    private mutating func end(
        _ following: Following, at now: Timestamp, in state: AppState, _ advance: inout Advance,
        _ steps: inout StepCollector
    ) {
        all.removeAll { $0.id == following.id }
        stepped[following.id] = nil
        advance.ended.append(following)
        let members = Following.members(of: following.target, in: state).filter { !following.left.contains($0) }
        if case .sleep = following.course, following.isStillMeant(at: now) {
            let lit = members.filter { state.lights[$0]?.isLit ?? false }
            steps.add(
                Step(
                    following: following, states: lit.map { DesiredState($0, power: .off) }, transition: Self.faded,
                    isTurning: true))
        } else {
            if case .wakeUp = following.course, following.isStillMeant(at: now) {
                for id in members { complete(following, at: id, in: state, &steps) }
            }
            // What else they follow goes on.
            for id in members { lights[id]?.resume([]) }
        }
        forgetLights(in: state)
    }

    /// Brings a light to the end of a sunrise that is over, if lightd was not there for its last steps.
    private func complete(
        _ sunrise: Following, at id: Light.ID, in state: AppState, _ steps: inout StepCollector
    ) {
        guard let light = state.lights[id], light.isLit, let followed = lights[id], followed.isOn else { return }
        let point = Curve.sunrise(1).only(sunrise.values.subtracting(followed.pauses.keys))
        if followed.lacks(point, as: light) { steps.add(point, for: id, in: state, sunrise, Self.faded) }
    }

    /// When something will differ from what was asked: looked for step by step, and farther away roughly, where it is
    /// looked for again.
    private func nextStep(after now: Timestamp, in state: AppState, _ course: CourseReader) -> Timestamp? {
        let followers = lights.compactMap {
            id, followed -> (light: Light, followed: FollowedLight, leader: Following)? in
            guard followed.due == nil, let light = state.lights[id], let leader = course.wanted(id, at: now)?.following
            else { return nil }
            return (light, followed, leader)
        }
        return Dictionary(grouping: followers) { $0.leader.id }.values.map { followers in
            let (leader, interval) = (followers[0].leader, followers[0].leader.interval)
            let earliest = now.advanced(by: .milliseconds(100))
            let first = max(stepped[leader.id].map { $0.advanced(by: interval) } ?? now, earliest)
            var earlier = 0
            for count in Self.looks {
                let time = first.advanced(by: interval * (count + 1))
                let isDue = followers.contains { light, followed, _ in
                    course.wanted(light.id, at: time).map { followed.lacks($0.point, as: light) } ?? false
                }
                if isDue { return first.advanced(by: interval * min(count, earlier + 1)) }
                earlier = count
            }
            return first.advanced(by: interval * earlier)
        }.min()
    }

    /// When the next following, or the next pause, is over.
    private func nextEnd(in state: AppState) -> Timestamp? {
        let pauses = lights.flatMap { id, followed in
            followed.pauses.compactMap { value, pause in
                leader(of: value, at: id, in: state)?.resumesAfter.map { pause.time.advanced(by: $0) }
            }
        }
        return (all.compactMap { $0.isOfUnreadBridge(in: state) ? nil : $0.until } + pauses).min()
    }
}

// MARK: - Courses

/// Reads what lights are to show at a time, and remembers what curves show then: many lights follow the same.
private final class CourseReader {
    private let followings: Followings
    private let state: AppState
    private let curvePoint: (String, Timestamp) -> Curve.Point
    private var known: [Key: Curve.Point] = [:]

    private struct Key: Hashable {
        let curve: String
        let time: Timestamp
    }

    init(_ followings: Followings, _ state: AppState, _ curvePoint: @escaping (String, Timestamp) -> Curve.Point) {
        (self.followings, self.state, self.curvePoint) = (followings, state, curvePoint)
    }

    /// What a light is to show, and the newest that says so; `nil` if it is off, out of reach or left alone.
    func wanted(_ id: Light.ID, at time: Timestamp) -> (following: Following, point: Curve.Point)? {
        guard let light = state.lights[id], light.isLit, let followed = followings.lights[id], followed.isOn else {
            return nil
        }
        return point(of: light, among: FollowedValue.allCases.filter { followed.pauses[$0] == nil }, at: time)
    }

    /// What follows for these values of a light, whether it is on or not.
    func point(
        of light: Light, among values: some Sequence<FollowedValue>, at time: Timestamp
    ) -> (following: Following, point: Curve.Point)? {
        var (leader, point): (Following?, Curve.Point) = (nil, Curve.Point())
        for value in values where light.can(value) {
            guard let following = followings.leader(of: value, at: light.id, in: state) else { continue }
            let shown = self.point(following, light.id, at: time).only([value])
            guard shown[value] != nil else { continue }
            if leader.map({ $0.started < following.started }) ?? true { leader = following }
            point = point.merging(shown)
        }
        return leader.map { ($0, point) }
    }

    private func point(_ following: Following, _ id: Light.ID, at time: Timestamp) -> Curve.Point {
        switch following.course {
        case let .curve(name):
            let key = Key(curve: name, time: time)
            if let point = known[key] { return point }
            let point = curvePoint(name, time)
            known[key] = point
            return point
        case .wakeUp: return following.progress(at: time).map { Curve.sunrise($0) } ?? Curve.Point()
        case .sleep:
            return following.progress(at: time).map { Curve.sunset($0, from: following.from[id] ?? Curve.Point()) }
                ?? Curve.Point()
        }
    }
}

/// Puts together what goes to lights that follow the same.
private struct StepCollector {
    private(set) var steps: [Followings.Step]

    init(_ steps: [Followings.Step]) { self.steps = steps }

    mutating func add(_ step: Followings.Step) { if !step.states.isEmpty { steps.append(step) } }

    mutating func add(
        _ point: Curve.Point, for id: Light.ID, in state: AppState, _ following: Following, _ transition: Transition
    ) {
        guard let desired = state.lights[id]?.desired(point) else { return }
        let index = steps.firstIndex {
            $0.following.id == following.id && $0.transition == transition && !$0.isTurning
        }
        let step = Followings.Step(
            following: following, states: (index.map { steps[$0].states } ?? []) + [desired], transition: transition,
            isTurning: false)
        if let index { steps[index] = step } else { steps.append(step) }
    }
}

extension Following {
    /// With what it needs to know of its lights when it begins.
    fileprivate func joined(by lights: [Light], own: Set<Light.ID>) -> Self {
        with { following in
            for light in lights {
                switch course {
                case .curve: break
                case .wakeUp where own.contains(light.id): break
                case .wakeUp where light.power == .off && light.limits.dims: following.sleeping.insert(light.id)
                case .sleep where light.power == .on: following.from[light.id] = light.point
                case .wakeUp, .sleep: following.left.insert(light.id)
                }
            }
        }
    }
}

extension Light {
    /// Whether it is on, and what is sent reaches it.
    fileprivate var isLit: Bool { power == .on && !isUnavailable }

    /// Whether a value of it can follow a curve.
    public func can(_ value: FollowedValue) -> Bool {
        switch value {
        case .brightness: limits.dims
        case .temperature: modes.contains(.ct)
        }
    }

    fileprivate var point: Curve.Point {
        Curve.Point(
            brightness: limits.dims ? brightness : nil, temperature: values.white)
    }

    /// As asked for, and not limited to this lamp's tones: equal settings for all lamps of a room stay equal.
    fileprivate func desired(_ point: Curve.Point, power: Turn? = nil) -> DesiredState {
        let tone = modes.contains(.ct) ? point.temperature.map { LightPatch.Tone.white($0) } : nil
        return DesiredState(id, LightPatch(power: power, brightness: point.brightness, tone: tone))
    }
}

extension DesiredState {
    /// What it asks of a light.
    fileprivate var point: Curve.Point {
        switch values.tone {
        case let .white(mirek): Curve.Point(brightness: values.brightness, temperature: mirek)
        case nil: Curve.Point(brightness: values.brightness)
        case .color, .gradient, .effect: Curve.Point()
        }
    }
}
