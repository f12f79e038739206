public import FoundationEssentials
import Glibc

extension Date {
    /// The time as HTTP writes it (RFC 9110, 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
    public var httpHeader: String {
        var (seconds, date) = (time_t(timeIntervalSince1970.rounded(.down)), tm())
        gmtime_r(&seconds, &date)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(date.tm_wday)]), \(two(date.tm_mday)) \(months[Int(date.tm_mon)]) \(date.tm_year + 1900) "
            + "\(two(date.tm_hour)):\(two(date.tm_min)):\(two(date.tm_sec)) GMT"
    }
}

// In English whatever the locale, so not by strftime.
private let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
