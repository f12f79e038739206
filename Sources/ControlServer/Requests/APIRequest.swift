import ControlProtocol
import ControlSurface
import Executors
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Khipu
import Logging
import NIOCore

/// A request that may be answered: its path is known, its sender allowed, its query read.
struct APIRequest: Sendable {
    static let largestBody = RelayedRequest.longestBody

    let http: Request
    let query: [Routes.Query: String]
    let admission: Admission
    /// The connection that it came over; `nil` if another surface has brought it.
    let channel: (any Channel)?
    /// Bounds the streams of its listener, and those of one family of tokens.
    let streams: ConcurrencyLimit<String>
    /// Fulfilled when the client has left.
    let gone: Promise<Void>

    /// Called once a command has been handed to the domain, which carries commands out in this order.
    let submitted: @Sendable () -> Void

    /// Whose requests count together: those of a token with all that was signed in through it, of a user of the unix
    /// socket, by the kernel's word, or of all who ask over a broker.
    var party: String { admission.grant?.family ?? admission.uid.map { "uid \($0)" } ?? admission.sender.known }

    /// Who asks, for tickets.
    var client: String { admission.sender.text }

    /// - Throws: `invalid` for a text that is not a moment.
    func time(_ field: Routes.Query) throws(ErrorReply) -> Timestamp? {
        guard let text = query[field] else { return nil }
        guard let time = Timestamp(iso8601: text) else {
            throw ErrorReply(.invalid, "'\(field.rawValue)' is '\(text)', but must look like 2026-11-21T10:00:00Z")
        }
        return time
    }

    /// Whether a field is "true"; one that is not given is false.
    ///
    /// - Throws: `invalid` for anything but "true" and "false".
    func flag(_ field: Routes.Query) throws(ErrorReply) -> Bool {
        switch query[field] {
        case nil, "false": return false
        case "true": return true
        case let other?: throw ErrorReply(.invalid, "'\(field.rawValue)' is '\(other)': use true or false")
        }
    }

    var wantsStream: Bool {
        http.headers[.accept]?.lowercased().contains("text/event-stream") ?? false
    }

    /// Does what takes long for as long as the client waits for it.
    ///
    /// - Throws: `CancellationError` if the client has left.
    func whileWaitedFor<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { [gone] group in
            group.addTask { try await work() }
            group.addTask {
                try await gone.value
                throw CancellationError()
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    /// - Parameter largest: in bytes.
    /// - Throws: 413 for a longer body, announced or not; 400 for one that cannot be read; 408 for one that does not
    ///   arrive in time.
    func body(upTo largest: Int = largestBody, within timeout: Duration) async throws -> Data {
        let size = largest < 1 << 20 ? "\(largest >> 10) KiB" : "\(largest >> 20) MiB"
        let tooLong = APIError(ErrorReply(.invalid, "the body is longer than \(size)"), status: .contentTooLarge)
        if let length = http.headers[.contentLength].flatMap({ Int($0) }), length > largest { throw tooLong }
        do {
            if http.headers[.expect] != nil { try await channel?.triggerUserOutboundEvent(BodyRequested()) }
            return try await withThrowingTaskGroup(of: Data.self) { group in
                group.addTask { Data(try await http.body.collect(upTo: largest).readableBytesView) }
                group.addTask {
                    try await QueueTimer.sleep(for: timeout)
                    throw Self.tooSlow(timeout)
                }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        } catch is NIOTooManyBytesError {
            throw tooLong
        } catch let error as CancellationError {
            throw error
        } catch let error as APIError {
            throw error
        } catch {
            // The client's mistake, such as a malformed chunk or a body that ends too early: the connection is of no
            // more use.
            throw APIError(
                ErrorReply(.invalid, "the body cannot be read: \(error)"), headers: [.connection: "close"])
        }
    }

    private static func tooSlow(_ timeout: Duration) -> APIError {
        APIError(
            ErrorReply(.invalid, "the body did not arrive within \(timeout.components.seconds) s"),
            status: .requestTimeout, headers: [.connection: "close"])
    }

    /// The fields of a query.
    ///
    /// - Parameter known: the fields that the path takes.
    /// - Throws: `invalid` for any other field, one given twice, and text that is not percent-encoded UTF-8.
    static func fields(of text: String?, known: Set<Routes.Query>) throws(ErrorReply) -> [Routes.Query: String] {
        var fields: [Routes.Query: String] = [:]
        for pair in Substring(text ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(halves[0]), let value = decoded(halves.count > 1 ? halves[1] : "".utf8[...]) else {
                throw ErrorReply(.invalid, "'\(Substring(pair))' in the query is not percent-encoded UTF-8")
            }
            guard let field = Routes.Query(rawValue: name), known.contains(field) else {
                let names = known.map(\.rawValue).sorted().joined(separator: ", ")
                throw ErrorReply(
                    .invalid,
                    "unknown query field '\(name)': this path takes \(names.isEmpty ? "none" : names)"
                )
            }
            guard fields.updateValue(value, forKey: field) == nil else {
                throw ErrorReply(.invalid, "the query field '\(name)' is given twice")
            }
        }
        return fields
    }

    /// As the URL standard reads a query: "+" is a space.
    private static func decoded(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}

/// What middleware and routes know about a request besides its bytes.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection that it came over; `nil` if another surface has brought it.
    let channel: (any Channel)?
    /// Set by ``AdmissionMiddleware``.
    var admission = Admission(SenderName(calling: nil, ""), .none)
    /// As ``APIRequest/submitted``.
    var submitted: @Sendable () -> Void = {}

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Of a request that another surface has brought.
    init(_ admission: Admission, logger: Logger, submitted: @escaping @Sendable () -> Void) {
        coreContext = CoreRequestContextStorage(source: Unconnected(logger: logger))
        channel = nil
        (self.admission, self.submitted) = (admission, submitted)
    }

    private struct Unconnected: RequestContextSource { let logger: Logger }
}

/// Text of a request's head, judged by its bytes as RFC 9110 defines it. For a `Character`, a comma with a combining mark
/// would be none, and the sign of the kelvin would be the letter "k".
extension StringProtocol {
    /// The elements of a list, such as that of `Accept-Encoding`, without the blanks around them; empty ones do not count.
    func elements(separatedBy separator: Unicode.Scalar = ",") -> [Substring] {
        let byte = UInt8(ascii: separator)
        return Substring(self).utf8.split(separator: byte).compactMap { bytes in
            var bytes = bytes
            while bytes.first.map(isBlank) == true { bytes.removeFirst() }
            while bytes.last.map(isBlank) == true { bytes.removeLast() }
            return bytes.isEmpty ? nil : Substring(bytes)
        }
    }

    /// Whether all of it is ASCII that is seen, in which every byte is a `Character`. All names, addresses and origins
    /// that lightd answers to are.
    var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// What follows a prefix of ASCII, whose letters may be in either case; `nil` if it does not begin with that.
    func after(_ prefix: StaticString) -> Substring? {
        let prefix = prefix.withUTF8Buffer { $0.map(small) }
        let bytes = Substring(self).utf8
        return bytes.prefix(prefix.count).map(small) == prefix ? Substring(bytes.dropFirst(prefix.count)) : nil
    }

    /// Whether both are the same in ASCII, but for the case of its letters.
    func isSame(as text: StaticString) -> Bool { after(text)?.isEmpty == true }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

private func small(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
