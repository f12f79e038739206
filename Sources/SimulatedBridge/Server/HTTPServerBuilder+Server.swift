import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

extension HTTPServerBuilder {
    /// The server of one port. Hummingbird's own `Application` would do the same, but wakes up every second on each
    /// port to renew the `Date` header; here each response gets it when it is sent.
    ///
    /// - Parameters:
    ///   - port: 0 chooses a free one.
    ///   - date: the time for the `Date` header of a response that has none.
    ///   - opened: called with the port when the server listens.
    func server<Responder: HTTPResponder>(
        of responder: Responder, on host: String, _ port: Int, date: @escaping @Sendable () async -> Date,
        logger: Logger, opened: @escaping @Sendable (Int) -> Void
    ) throws -> any Service
    where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        try buildServer(
            configuration: ServerConfiguration(address: .hostname(host, port: port)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        ) { request, writer, channel in
            let source = ApplicationRequestContextSource(channel: channel, logger: logger)
            var response = try await responder.respond(to: request, context: Responder.Context(source: source))
            if response.headers[.date] == nil { response.headers[.date] = await date().httpHeader }
            try await writer.write(response: response.head, body: response.body)
        } onServerRunning: { channel in
            opened(channel.localAddress?.port ?? port)
        }
    }
}

extension Date {
    /// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7).
    var httpHeader: String {
        var seconds = time_t(timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
