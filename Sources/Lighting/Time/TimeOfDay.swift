/// A time on a clock, to the second. Written "06:45", or "06:45:30".
public struct TimeOfDay: Hashable, Comparable, Sendable {
    /// As a clock shows them since midnight, 0 to 86,399: on the day of a time change, not as many as have passed.
    public let seconds: Int

    public static let midnight = Self(hour: 0)
    public static let noon = Self(hour: 12)

    /// - Parameter seconds: since midnight; taken modulo a day.
    public init(seconds: Int) {
        self.seconds = seconds.modulo(86_400)
    }

    public init(hour: Int, minute: Int = 0, second: Int = 0) {
        self.init(seconds: hour * 3600 + minute * 60 + second)
    }

    public var hour: Int { seconds / 3600 }
    public var minute: Int { seconds / 60 % 60 }
    public var second: Int { seconds % 60 }

    public static func < (one: Self, other: Self) -> Bool { one.seconds < other.seconds }
}

extension TimeOfDay: TimeText {
    public var description: String {
        "\(hour.padded(2)):\(minute.padded(2))" + (second == 0 ? "" : ":\(second.padded(2))")
    }

    public init(from reader: inout TimeReader) throws(TimeTextError) { self = try reader.timeOfDay() }
}
