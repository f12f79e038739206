import ControlProtocol
import FoundationEssentials
import HashTreeCollections
import Khipu
import Languages
import Lighting

/// Makes forms for one home: their questions, ready answers and words.
struct FormPresenter {
    typealias Question = AutomationFormBody.Question
    typealias Option = AutomationFormBody.Option
    typealias Own = AutomationFormBody.Own

    let home: Directory
    let time: HomeTime
    let words: Language

    var sentences: AutomationWords { AutomationWords(home: home, words: words) }

    /// What is shown of many things before "Other…".
    private static let mostShown = 4

    // MARK: What forms can make

    var kinds: [AutomationFormKind] {
        AutomationFormName.allCases.map { kind in
            let (text, lacks): (String, String?) =
                switch kind {
                case .wakeUp: (words("Light that rises like the morning"), nil)
                case .off: (words("Whatever was left on"), nil)
                case .evening: (words("By the sun or by the clock"), nil)
                case .motion: (words("On when somebody comes, off when nobody is there"), lackOfMotion)
                case .night: (words("Dim and warm, only at night"), lackOfMotion)
                case .switch:
                    (
                        words("What a switch on the wall does"),
                        switches.isEmpty ? words("No switch was found yet") : nil
                    )
                case .away: (words("The house looks lived in"), nil)
                }
            return AutomationFormKind(kind: kind, title: title(kind), text: text, lacks: lacks)
        }
    }

    private var lackOfMotion: String? { motionSensors.isEmpty ? words("No motion sensor was found yet") : nil }

    func title(_ kind: AutomationFormName) -> String {
        switch kind {
        case .wakeUp: words("Wake-up")
        case .off: words("Off after a while")
        case .evening: words("Evening light")
        case .motion: words("Motion light")
        case .night: words("Night light")
        case .switch: words("Button or dial")
        case .away: words("Away")
        }
    }

    // MARK: What is usual

    /// With what is usual in the place of what is missing.
    func filled(_ kind: AutomationFormName, _ given: AutomationForm.Values) -> AutomationForm.Values {
        var values = given
        func usual(_ key: String, _ value: @autoclosure () -> String) {
            if values[key] == nil { values[key] = value() }
        }
        if kind == .motion || kind == .night {
            usual("sensor", motionSensors.first.map { home.text(naming: $0.id) } ?? "")
        }
        if kind == .switch { usual("switch", switches.first.map { home.text(naming: $0.id) } ?? "") }
        if kind != .away { usual("lights", usualLights(kind, values)) }
        switch kind {
        case .wakeUp:
            usual("at", "06:30")
            usual("days", (Weekdays.all.subtracting([.saturday, .sunday])).lines)
            usual("rises", "30")
            usual("then", "60")
        case .off: usual("after", "30")
        case .evening:
            usual(
                "shows", scenes(of: values["lights"]).first.map { AutomationForm.Shows.scene($0.name).text } ?? "before"
            )
            usual("start", time.place == nil ? "19:00" : "sunset - 20m")
            usual("days", Weekdays.all.lines)
            usual("only_if_off", "true")
            usual("then", "stays")
        case .motion, .night:
            let sees = sensor(values["sensor"])?.abilities.contains(.lightLevel) == true
            if kind == .motion { usual("when", sees ? "30" : time.place == nil ? "any" : "sunset") }
            if kind == .night {
                usual("from", "23:00")
                usual("to", "06:00")
            }
            usual("shows", kind == .night ? "5" : "before")
            usual("warm", "\(kind == .night && hasWhites(values["lights"]))")
            usual("after", "2")
            usual("then", kind == .night ? "restore" : "off")
            usual("only_if_off", "true")
        case .switch: usual("scenes", boundScenes(values["switch"]).map(\.name).joined(separator: "\n"))
        case .away:
            usual("until", "")
            for key in ["plugs", "ignore_motion", "plain"] { usual(key, "false") }
        }
        return values
    }

    /// Those where the sensor is, or what the switch controls; else the first room.
    private func usualLights(_ kind: AutomationFormName, _ values: AutomationForm.Values) -> String {
        if kind == .switch, let binding = binding(values["switch"]) { return home.text(naming: binding.target) }
        let place = sensor(values[kind == .switch ? "switch" : "sensor"])?.room
        let room = place.flatMap { home.room($0) } ?? rooms.first
        return room.map { home.text(naming: .room($0.id)) } ?? home.lights.first.map {
            home.text(naming: .light($0.id))
        } ?? "all"
    }

    /// What an automation is called if nobody says otherwise, and no other is.
    func name(_ kind: AutomationFormName, _ values: AutomationForm.Values) -> String {
        let place = values["lights"].map(lightsTitle) ?? ""
        // What an automation is called is one line that can be seen.
        let seen = String(String.UnicodeScalarView(place.unicodeScalars.filter(\.isSeen))).prefix(60)
        let name = ([title(kind)] + seen.split(separator: " ").map(String.init)).joined(separator: " ")
        let taken = home.state.automations.automations
        return ([name] + (2...99).map { "\(name) \($0)" }).first { taken[Automation.ID($0)] == nil } ?? name
    }

    // MARK: Questions

    func questions(_ kind: AutomationFormName, _ values: AutomationForm.Values) -> [Question] {
        switch kind {
        case .wakeUp:
            [
                lights(words("Room"), values),
                Question("at", .time, words("The light begins at"), hint: fullLight(values)),
                days(), minutes("rises", words("It rises for"), [15, 30, 45, 60], values, 1...240),
                choice(
                    "then", words("Then"), values,
                    [
                        Option("stays", words("It stays on")), offAfterFullLight(60),
                        Option("follows", words("It follows the day")),
                    ],
                    own: Own(.number, words("Off after so many minutes of full light"), 0...1440)
                ) { Int($0).map { offAfterFullLight($0).title } },
            ]
        case .off:
            [
                lights(words("What goes off"), values),
                minutes("after", words("when it has been on for"), [15, 30, 60, 120], values, 1...1440),
            ]
        case .evening:
            [
                lights(words("Room"), values, resets: ["shows"]),
                shows(words("Shows"), values, levels: [100, 60, 30], scenes: scenes(of: values["lights"])),
                start(values), days(),
                choice(
                    "then", words("Then"), values,
                    [Option("stays", words("It stays on")), offAfter(120), offAfter(240)],
                    own: Own(.number, words("Off after so many minutes"), 1...1440)
                ) { Int($0).map { offAfter($0).title } },
                Question("only_if_off", .flag, words("Only if nobody has turned on a light there")),
            ]
        case .motion, .night: motion(kind, values)
        case .switch:
            [
                choice("switch", words("Switch"), values, switches.map { option($0) }, resets: ["lights", "scenes"]),
                lights(words("controls"), values, hint: controls(values), resets: ["scenes"]),
            ] + scenesOfSwitch(values)
        case .away:
            [
                choice(
                    "until", words("The house looks lived in"), values, [Option("", words("until somebody is back"))],
                    own: Own(.moment, words("at the latest until"))),
                Question("ignore_motion", .flag, words("Motion does not end it: there are pets")),
                Question("plugs", .flag, words("Plugs take part, too")),
                Question("plain", .flag, words("Make up an evening, if too little is known of yours")),
            ]
        }
    }

    private func motion(_ kind: AutomationFormName, _ values: AutomationForm.Values) -> [Question] {
        let sensor = sensor(values["sensor"])
        var questions = [
            choice(
                "sensor", words("When somebody moves in"), values, motionSensors.map { option($0) },
                resets: ["lights", "when", "warm"])
        ]
        if kind == .motion {
            let sees = sensor?.abilities.contains(.lightLevel) == true
            let now = sensor?.lightLevel.map { words("\(Int($0.value.rounded())) lux now") }
            questions.append(
                choice(
                    "when", words("and it is"), values,
                    (sees ? [Option("30", words("dark (below 30 lux)"))] : [])
                        + (time.place == nil ? [] : [Option("sunset", words("after sunset"))])
                        + [Option("any", words("any time"))], hint: sees ? now : nil,
                    own: sees ? Own(.number, words("Darker than so many lux"), 1...100_000) : nil
                ) { Int($0).map { words("darker than \($0) lux") } })
        } else {
            questions += [
                Question("from", .time, words("from")), Question("to", .time, words("to")),
            ]
        }
        questions += [
            lights(words("turn on"), values, resets: ["warm"]),
            shows(words("with"), values, levels: kind == .night ? [1, 5, 10, 20] : [100, 60, 30], scenes: []),
        ]
        if kind == .night || values["warm"] == "true" {
            questions.append(Question("warm", .flag, words("As warm as a candle")))
        }
        return questions + [
            minutes("after", words("and, without motion for"), [1, 2, 5, 10], values, 1...1440),
            choice(
                "then", words("it is"), values,
                [Option("off", words("off")), Option("restore", words("as it was before"))]),
            Question("only_if_off", .flag, words("Leave alone what a hand has switched on")),
        ]
    }

    private func lights(
        _ title: String, _ values: AutomationForm.Values, hint: String? = nil, resets: [String] = []
    ) -> Question {
        let lamps = home.lights.map { Option(home.text(naming: .light($0.id)), home.text(naming: .light($0.id))) }
        let all =
            rooms.map { Option(home.text(naming: .room($0.id)), $0.name) } + lamps + [
                Option("all", words("All lights"))
            ]
        return choice("lights", title, values, all, hint: hint, resets: resets)
    }

    private func shows(
        _ title: String, _ values: AutomationForm.Values, levels: [Int], scenes: [Scene]
    ) -> Question {
        let ready = scenes.map { Option(AutomationForm.Shows.scene($0.name).text, $0.name) }
        let others = [Option("before", words("as it was last"))] + levels.map { Option("\($0)", "\($0)%") }
        return choice(
            "shows", title, values, scenes.isEmpty ? others : Array(ready.prefix(3) + others.prefix(2)),
            more: Array(ready.dropFirst(3)), own: Own(.number, words("Per cent"), 1...100)
        ) { text in
            Int(text).map { "\($0)%" } ?? text.split(separator: ":", maxSplits: 1).last.map(String.init)
        }
    }

    private func start(_ values: AutomationForm.Values) -> Question {
        let ready =
            time.place == nil
            ? [18, 19, 20].map { TimeOfDay(hour: $0) }.map { Option("\($0)", sentences.hour($0)) }
            : [
                Option("sunset - 20m", words("20 min before sunset")), Option("sunset", words("at sunset")),
                Option("sunset + 20m", words("20 min after sunset")),
            ]
        return choice(
            "start", words("comes on"), values, ready,
            hint: time.place == nil
                ? words("lightd does not know where the home is, and so not when the sun sets.") : nil,
            own: Own(.time, words("At"))
        ) { (try? Moment($0)).map(sentences.moment) }
    }

    private func days() -> Question {
        let names = [
            words("Monday"), words("Tuesday"), words("Wednesday"), words("Thursday"), words("Friday"),
            words("Saturday"), words("Sunday"),
        ]
        return Question(
            "days", .several, words("On these days"),
            options: zip(Weekdays.each, names).map { Option("\($0)", $1) })
    }

    private func minutes(
        _ key: String, _ title: String, _ ready: [Int], _ values: AutomationForm.Values, _ range: ClosedRange<Int>
    ) -> Question {
        choice(
            key, title, values, ready.map { Option("\($0)", span($0)) }, own: Own(.number, words("Minutes"), range)
        ) { Int($0).map(span) }
    }

    private func offAfter(_ minutes: Int) -> Option { Option("\(minutes)", words("Off after \(span(minutes))")) }

    private func offAfterFullLight(_ minutes: Int) -> Option {
        Option("\(minutes)", words("Off \(span(minutes)) after full light"))
    }

    private func span(_ minutes: Int) -> String {
        minutes.isMultiple(of: 60) && minutes > 0 ? words("\(minutes / 60) h") : words("\(minutes) min")
    }

    /// The first of many options are shown, with the one that is chosen.
    ///
    /// - Parameter word: what a value is called that is none of the options.
    private func choice(
        _ key: String, _ title: String, _ values: AutomationForm.Values, _ options: [Option], more: [Option] = [],
        hint: String? = nil, own: Own? = nil, resets: [String] = [], _ word: (String) -> String? = { $0 }
    ) -> Question {
        var (shown, more) = (options, more)
        if own == nil, options.count > Self.mostShown + 1 {
            shown = Array(options.prefix(Self.mostShown))
            more = Array(options.dropFirst(Self.mostShown))
        }
        let value = values[key] ?? ""
        if !(shown + more).contains(where: { $0.value == value }),
            own == nil || (own?.kind != .moment && !value.isEmpty)
        {
            // A value of one's own, or a name that nothing has now.
            shown.append(Option(value, word(value) ?? value))
        } else if let index = more.firstIndex(where: { $0.value == value }) {
            shown.append(more.remove(at: index))
        }
        return Question(key, .choice, title, hint: hint, options: shown, more: more, own: own, resets: resets)
    }

    private func fullLight(_ values: AutomationForm.Values) -> String? {
        guard let at = try? TimeOfDay(values["at"] ?? ""), let rises = values["rises"].flatMap({ Int($0) }),
            (0...1440).contains(rises)
        else { return nil }
        return words("Full light at \(sentences.hour(TimeOfDay(seconds: at.seconds + rises * 60)))")
    }

    // MARK: Switches

    private func scenesOfSwitch(_ values: AutomationForm.Values) -> [Question] {
        let all = scenes(of: values["lights"])
        guard !all.isEmpty else { return [] }
        let bound = boundScenes(values["switch"]).filter { scene in all.contains { $0.id == scene.id } }
        // In the order in which it recalls them now.
        let ordered = bound + all.filter { scene in !bound.contains { $0.id == scene.id } }
        return [
            Question(
                "scenes", .several, words("and recalls"), hint: words("All scenes of the room if none is chosen"),
                options: ordered.map { Option($0.name, $0.name) })
        ]
    }

    private func boundScenes(_ name: String?) -> [Scene] {
        guard let binding = binding(name), binding.scenes != nil else { return [] }
        return home.state.scenes(of: binding).compactMap { home.scene($0) }
    }

    private func binding(_ name: String?) -> SwitchBinding? {
        sensor(name).flatMap { home.state.bindings[$0.id] }
    }

    private func controls(_ values: AutomationForm.Values) -> String? {
        binding(values["switch"]).map { words("It controls \(home.targetName(of: $0)) now") }
    }

    // MARK: The home

    private var rooms: [Room] { home.rooms.filter { !home.lights(of: .room($0.id)).isEmpty } }
    private var motionSensors: [Sensor] { home.sensors.filter { $0.abilities.contains(.motion) && $0.isEnabled } }
    private var switches: [Sensor] { home.sensors.filter { !$0.buttons.isEmpty || $0.abilities.contains(.dial) } }

    private func sensor(_ name: String?) -> Sensor? {
        guard let name else { return nil }
        if case let .found(id) = home.sensor(name) { return home.sensor(id) }
        // A room stands for its sensors.
        guard case let .found(room) = home.room(name, kind: nil) else { return nil }
        return motionSensors.first { $0.room == room }
    }

    /// By its room, if it is alone there.
    private func option(_ sensor: Sensor) -> Option {
        let name = home.text(naming: sensor.id)
        let isSwitch = !sensor.abilities.contains(.motion)
        guard !isSwitch, let room = sensor.room, motionSensors.filter({ $0.room == room }).count == 1 else {
            return Option(name, name)
        }
        return Option(name, home.room(room)?.name ?? name)
    }

    /// Those whose names a form can say.
    private func scenes(of lights: String?) -> [Scene] {
        guard let lights, lights.hasPrefix("@"), case let .found(.room(room)) = home.target(lights) else { return [] }
        return home.scenes.filter { $0.room == room && !$0.name.contains("/") && !$0.name.contains("\n") }
    }

    private func hasWhites(_ lights: String?) -> Bool {
        guard let lights, case let .found(target) = home.target(lights) else { return false }
        return home.lights(of: target).contains { $0.limits.temperature != nil }
    }

    private func lightsTitle(_ lights: String) -> String {
        if lights == "all" { return "" }
        guard case let .found(.room(room)) = home.target(lights) else { return lights }
        return home.room(room)?.name ?? lights
    }
}

extension Unicode.Scalar {
    fileprivate var isSeen: Bool {
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}
