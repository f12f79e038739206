/// Days of the week. Written "mon-fri", "sat,sun", "mon,wed-fri".
public struct Weekdays: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let monday = Self(rawValue: 1 << 0)
    public static let tuesday = Self(rawValue: 1 << 1)
    public static let wednesday = Self(rawValue: 1 << 2)
    public static let thursday = Self(rawValue: 1 << 3)
    public static let friday = Self(rawValue: 1 << 4)
    public static let saturday = Self(rawValue: 1 << 5)
    public static let sunday = Self(rawValue: 1 << 6)

    public static let all = Self(each)
    /// From Monday on.
    public static let each: [Self] = [monday, tuesday, wednesday, thursday, friday, saturday, sunday]
    static let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
}

extension Weekdays: TimeText {
    public var description: String {
        var runs: [ClosedRange<Int>] = []
        for (day, weekday) in Self.each.enumerated() where contains(weekday) {
            if let run = runs.last, run.upperBound == day - 1 {
                runs[runs.count - 1] = run.lowerBound...day
            } else {
                runs.append(day...day)
            }
        }
        return runs.map { run in
            let (first, last) = (Self.names[run.lowerBound].prefix(3), Self.names[run.upperBound].prefix(3))
            return run.count == 1 ? String(first) : "\(first)\(run.count == 2 ? "," : "-")\(last)"
        }.joined(separator: ",")
    }

    public init(from reader: inout TimeReader) throws(TimeTextError) { self = try reader.weekdays() }
}
