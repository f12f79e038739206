import Glibc
import Khipu

extension Timestamp {
    /// The time of a `Date` header: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7). `nil` for any other form.
    init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int32(parts[1]), let year = Int32(parts[3]),
            let month = Self.months.firstIndex(of: String(parts[2]))
        else { return nil }
        let time = parts[4].split(separator: ":").compactMap { Int32($0) }
        guard time.count == 3 else { return nil }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (year - 1900, Int32(month), day)
        (date.tm_hour, date.tm_min, date.tm_sec) = (time[0], time[1], time[2])
        self.init(milliseconds: Int64(timegm(&date)) * 1000)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
