public import FoundationEssentials
import Glibc
import HTTPTypes
public import Hummingbird
public import HummingbirdCore
public import Logging
public import NIOCore
import NIOPosix
public import ServiceLifecycle

extension HTTPServerBuilder {
    /// The server of one listening socket. Hummingbird's own `Application` would do the same, but wakes up every second
    /// for as long as it runs, to renew the `Date` header; here each response gets it when it is sent.
    ///
    /// - Parameters:
    ///   - limit: says when to accept no more connections.
    ///   - date: the time for the `Date` header of a response that has none.
    ///   - onRunning: called with the listening socket once it listens.
    public func service<Responder: HTTPResponder>(
        of responder: Responder, at address: BindAddress, limit: (any AvailableConnectionsDelegate)? = nil,
        date: @escaping @Sendable () async -> Date = { Date() }, logger: Logger,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) throws -> any Service
    where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        try buildServer(
            configuration: ServerConfiguration(address: address, availableConnectionsDelegate: limit),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger,
            responder: responder.serving(date: date, logger: logger),
            onServerRunning: onRunning)
    }
}

extension HTTPResponder where Context: InitializableFromSource<ApplicationRequestContextSource> {
    /// Answers the requests of connections.
    ///
    /// - Parameter date: the time for the `Date` header of a response that has none.
    public func serving(
        date: @escaping @Sendable () async -> Date = { Date() }, logger: Logger
    ) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            let source = ApplicationRequestContextSource(channel: channel, logger: logger)
            var response = try await respond(to: request, context: Context(source: source))
            if response.headers[.date] == nil { response.headers[.date] = await date().httpHeader }
            try await writer.write(response: response.head, body: response.body)
        }
    }
}

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
