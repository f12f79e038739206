import Crypto
import FoundationEssentials
import Logging
import Synchronization

/// What is known only to those who were told: the 256 random bits of a token or a link. Only their digests are kept.
enum Secret {
    private static let prefix = "lightd_"

    static func token() -> String { prefix + random().hexadecimal }

    /// Shorter than a token, because it is shown as a QR code.
    static func link() -> String {
        Data(random()).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    }

    /// SHA-256, in hexadecimal.
    static func digest(of secret: String) -> String {
        SHA256.hash(data: Array(secret.utf8)).hexadecimal
    }

    /// Compares in constant time: the time does not reveal how much of it is right.
    static func equal(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func random() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }
}

extension Sequence<UInt8> {
    /// Two digits for each byte, in lower case.
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

/// Looks tokens up for those who send them over TCP, and slows down who sends wrong ones. All listeners and paths share
/// it, because it counts.
///
/// A token of the configuration may be one that somebody can guess. The secrets of sessions and links are not: they have
/// 256 random bits, and wrong ones are not counted. If they were, any web page could use up the tries of its visitor, by
/// opening lightd's page with a wrong link.
final class SecretAttempts: Sendable {
    /// How often the log may say that wrong ones come.
    static let logInterval = Duration.seconds(600)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private let attempts = Mutex(FailedAttempts())
    private let logged = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter now: of a clock that nobody sets.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant, logger: Logger) {
        self.now = now
        self.logger = logger
    }

    /// - Parameters:
    ///   - address: the sender's; `nil` if it is not known, or if it has come over the unix socket: nothing is counted.
    ///   - look: returns what the token is for; `nil` if it is wrong.
    /// - Throws: 401 for a wrong token, 429 for one that comes too early.
    func attempt<Value>(from address: ClientAddress?, _ look: () -> Value?) throws(APIError) -> Value {
        let now = now()
        if let address, let wait = attempts.withLock({ $0.wait(of: address, at: now) }) {
            throw .tooManyAttempts(wait)
        }
        if let value = look() { return value }
        if let address, attempts.withLock({ $0.failed(address, at: now) }) { log(address, at: now) }
        throw .wrongToken
    }

    private func log(_ address: ClientAddress, at now: ContinuousClock.Instant) {
        let isFirst = logged.withLock { logged in
            if let last = logged, now < last.advanced(by: Self.logInterval) { return false }
            logged = now
            return true
        }
        guard isFirst else { return }
        logger.notice("wrong tokens come over TCP: their sender has to wait", metadata: ["from": "\(address)"])
    }
}

/// Slows down those who try tokens: after some wrong ones, an address must wait before its next token is looked at,
/// longer each time. Others are not affected. A value without a clock; its times are of one that nobody sets, or an
/// address would wait for as long as the time of day was set back.
///
/// The right token waits too: if it did not, waiting would not slow anybody who guesses.
struct FailedAttempts {
    /// Wrong tokens that cost nothing.
    static let free = 5
    static let longestWait = Duration.seconds(60)
    /// An address without a wrong token for this long starts anew.
    static let memory = Duration.seconds(600)
    /// The addresses that are remembered.
    static let maximum = 1024

    private struct Record {
        var count = 0
        var last: ContinuousClock.Instant
        var next: ContinuousClock.Instant
    }

    private var records: [[UInt8]: Record] = [:]

    var count: Int { records.count }

    /// How long the address has to wait; `nil` if it may try now.
    func wait(of address: ClientAddress, at now: ContinuousClock.Instant) -> Duration? {
        guard let record = records[address.network], now < record.next else { return nil }
        return now.duration(to: record.next)
    }

    /// Counts a wrong token. Returns whether the address has to wait from now on, and did not before.
    mutating func failed(_ address: ClientAddress, at now: ContinuousClock.Instant) -> Bool {
        var record = records[address.network] ?? Record(last: now, next: now)
        if record.last.advanced(by: Self.memory) < now { record.count = 0 }
        record.count += 1
        record.last = now
        let wait = Self.wait(after: record.count)
        record.next = now.advanced(by: wait)
        if records[address.network] == nil, records.count >= Self.maximum { forget(at: now) }
        records[address.network] = record
        return record.count == Self.free + 1
    }

    /// Nothing for the first wrong tokens, then 1 s, 2 s, 4 s and so on.
    static func wait(after count: Int) -> Duration {
        count <= free ? .zero : min(.seconds(1) * (1 << min(count - free - 1, 6)), longestWait)
    }

    /// Makes room for one. Whoever failed least is forgotten first, so that a flood of addresses frees nobody who waits.
    private mutating func forget(at now: ContinuousClock.Instant) {
        records = records.filter { now <= $0.value.last.advanced(by: Self.memory) }
        guard records.count >= Self.maximum,
            let least = records.min(by: { ($0.value.count, $0.value.last) < ($1.value.count, $1.value.last) })
        else { return }
        records[least.key] = nil
    }
}
