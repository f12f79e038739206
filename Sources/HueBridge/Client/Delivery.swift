import Glibc
import HueWire
import Khipu
import Lighting

/// What became of one request to a bridge.
enum Delivery: Equatable, Sendable {
    case done
    /// Accepted, but in the bridge's words these lights may not follow; an empty list means all of them.
    case doubted(BridgeWords, [ResourceID] = [])
    /// Not carried out, and repeating it will not help: the bridge's words.
    case refused(BridgeWords)
    /// Overloaded (429, 502, 503), and not carried out: the bridge's words.
    case busy(String)
    /// An internal error (500): worth a few tries, because some end at once and others last until the bridge restarts.
    /// Its words.
    case faulty(String)
    case keyRefused
    /// Not sent, because somebody else's certificate was shown: what is wrong with it.
    case certificateRefused(String)
    /// Not sent: no connection.
    case unsent
    /// Not sent, because the home turned out to be otherwise: a group has other members, or somebody has changed a light.
    case outdated
    /// Sent, but the answer was lost or unreadable: it may have been carried out.
    case unknown

    /// What a read that precedes a command means for it: nothing was sent that could be in doubt.
    var ofNothingSent: Self { self == .unknown ? .unsent : self }

    /// Whether the bridge accepted it.
    var isAccepted: Bool {
        switch self {
        case .done, .doubted: true
        default: false
        }
    }
}

/// Why something could not be read that a command is built on.
struct ReadingTrouble: Error {
    let delivery: Delivery
}

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
