// What automations consist of, read from the texts that people write: the inverse of AutomationText.

extension Automation.Trigger {
    /// Reads "sunset - 20m", "06:45 mon-fri", "motion Hall", "lux Hall < 12 for 5m", "button Dial 1 long".
    ///
    /// - Parameter home: whose time a date and time without an offset are; `nil` refuses them.
    public init(_ text: String, in home: HomeTime? = nil) throws(TimeTextError) {
        var reader = TimeReader(text)
        self = try reader.trigger(in: home)
        try reader.end()
    }

    /// Words with which a trigger may begin, besides times.
    public static let firstWords = Automation.Check.firstWords + ["button", "every"] + TimeReader.moments
}

extension Automation.Condition {
    /// Reads "between sunset and 23:30", "mon-fri", "sun < -4", "not motion Hall", "@Living off or @Kitchen off".
    public init(_ text: String) throws(TimeTextError) {
        var reader = TimeReader(text)
        var alternatives = [try reader.condition()]
        while reader.take(word: "or") { alternatives.append(try reader.condition()) }
        try reader.end(expecting: "'or' or the end")
        self = alternatives.count == 1 ? alternatives[0] : .any(alternatives)
    }

    /// Words with which a condition may begin, besides days of the week.
    public static let firstWords = Automation.Check.firstWords + ["between", "not", "sun"]
}

extension Automation.Step {
    /// Reads "wait 5m", "wait no motion Hall for 2m at most 1h", "restore @Hall".
    ///
    /// - Returns: `nil` for any other text, which is a command.
    public init?(_ text: String) throws(TimeTextError) {
        var reader = TimeReader(text)
        if reader.take(word: "wait") {
            self = try reader.waiting()
        } else if reader.take(word: "restore") {
            self = .restore(try reader.name("a light, @room or all") { _ in false })
        } else {
            return nil
        }
        try reader.end()
    }

    /// Words with which a step may begin that is not a command.
    public static let firstWords = ["wait", "restore"]
}

extension Automation.Check {
    static let firstWords = ["motion", "no motion", "contact", "light", "room", "lux", "temperature", "bridge"]
}

extension TimeReader {
    fileprivate static let moments = ["sunrise", "sunset", "dawn", "dusk", "noon", "midnight"]

    fileprivate mutating func trigger(in home: HomeTime?) throws(TimeTextError) -> Automation.Trigger {
        if take(word: "button") { return try press() }
        if let check = try check() { return .becomes(check, for: take(word: "for") ? try duration() : nil) }
        guard isAtClock else {
            throw expectation("a time such as 06:45 or sunset - 20m, or \(Self.things), button")
        }
        return .clock(try clockTrigger(in: home))
    }

    private static let things = Automation.Check.firstWords.joined(separator: ", ")

    private var isAtClock: Bool {
        let word = peekWord()
        return word.isEmpty || (Self.moments + ["every", "solar"]).contains(word)
    }

    fileprivate mutating func condition() throws(TimeTextError) -> Automation.Condition {
        if take(word: "not") { return .not(try condition()) }
        if take(word: "between") {
            let start = try moment()
            guard take(word: "and") else { throw expectation("and") }
            return .between(start, try moment())
        }
        // "sun" alone is a day.
        var reader = self
        if reader.take(word: "sun"), reader.isAtComparison {
            self = reader
            return .elevation(try comparison("degrees, such as -4"))
        }
        if let check = try check() { return .check(check) }
        guard isAtWeekday else { throw expectation("between, not, sun, a day of the week, or \(Self.things)") }
        return .days(try weekdays())
    }

    fileprivate mutating func waiting() throws(TimeTextError) -> Automation.Step {
        guard let check = try check() else {
            guard isAtNumber else { throw expectation("a duration such as 5m, or \(Self.things)") }
            return .wait(try duration())
        }
        let held = take(word: "for") ? try duration() : nil
        guard take(word: "at") else { return .waitFor(check, for: held) }
        guard take(word: "most") else { throw expectation("most") }
        return .waitFor(check, for: held, atMost: try duration())
    }

    /// `nil` if the reader does not stand at one.
    private mutating func check() throws(TimeTextError) -> Automation.Check? {
        if take(word: "motion") { return .motion(try sensor(), true) }
        if take(word: "no") {
            guard take(word: "motion") else { throw expectation("motion") }
            return .motion(try sensor(), false)
        }
        if take(word: "contact") { return .contact(try sensor(until: ["open", "closed"]), isOpen: try isOpen()) }
        if take(word: "light") { return .power(try lights("a light"), try power()) }
        if take(word: "room") { return .power("@" + (try lights("a room")), try power()) }
        if take(word: "lux") {
            return .lightLevel(try sensor(until: Self.comparisons), try comparison("lux, such as 12", unit: "lx"))
        }
        if take(word: "temperature") {
            return .temperature(
                try sensor(until: Self.comparisons), try comparison("degrees Celsius, such as 21.5", unit: "°C", "C"))
        }
        if take(word: "bridge") { return try bridge() }
        if peekWord() == "all" || isAtRoom { return .power(try lights("a room"), try power()) }
        return nil
    }

    private var isAtRoom: Bool {
        var reader = self
        return reader.take("@") || reader.take(text: "\"@")
    }

    private mutating func sensor(until words: Set<String> = []) throws(TimeTextError) -> String {
        try name("the name of a sensor or a room") { Self.ends.contains($0) || words.contains($0) }
    }

    private mutating func lights(_ expected: String) throws(TimeTextError) -> String {
        try name(expected) { $0 == "on" || $0 == "off" }
    }

    /// Words that follow a name in any text.
    private static let ends: Set = ["for", "at", "or"]
    /// Words that follow the name of what measures.
    private static let comparisons: Set = ["below", "under", "above", "over"]

    private var isAtComparison: Bool {
        var reader = self
        return reader.take("<", ">") || Self.comparisons.contains(peekWord())
    }

    private mutating func isOpen() throws(TimeTextError) -> Bool {
        if take(word: "open") { return true }
        guard take(word: "closed") else { throw expectation("open or closed") }
        return false
    }

    private mutating func power() throws(TimeTextError) -> Turn {
        if take(word: "on") { return .on }
        guard take(word: "off") else { throw expectation("on or off") }
        return .off
    }

    private mutating func bridge() throws(TimeTextError) -> Automation.Check {
        let states: Set = ["lost", "connected"]
        var called: String?
        if !states.contains(peekWord()) {
            called = try name("lost, connected or the name of a bridge", until: states.contains)
        }
        if take(word: "lost") { return .bridge(called, isConnected: false) }
        guard take(word: "connected") else { throw expectation("lost or connected") }
        return .bridge(called, isConnected: true)
    }

    private mutating func comparison(_ number: String, unit: String...) throws(TimeTextError) -> Automation.Comparison {
        let isBelow = take("<") || take(word: "below") || take(word: "under")
        guard isBelow || take(">") || take(word: "above") || take(word: "over") else { throw expectation("< or >") }
        let value = try decimal(number)
        _ = unit.contains { take(text: $0) }
        return isBelow ? .below(value) : .above(value)
    }

    private mutating func press() throws(TimeTextError) -> Automation.Trigger {
        let sensor = try name("the name of a switch") { word in
            word.allSatisfy(\.isNumber) || Self.presses.contains { $0.word == word }
        }
        let button = isAtNumber ? try count("the number of a button") : nil
        if isAtEnd { return .press(sensor: sensor, button: button, .released) }
        for (word, press) in Self.presses where take(token: word) {
            return .press(sensor: sensor, button: button, press)
        }
        throw expectation(Self.presses.map(\.word).joined(separator: ", "))
    }

    private static let presses: [(word: String, press: ButtonPress)] = [
        ("short", .released), ("long-release", .releasedLong), ("long", .longPressed), ("held", .held),
        ("down", .pressed), ("double", .releasedTwice),
    ]
}
