import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

/// One listening socket with Hummingbird's HTTP server behind it.
///
/// Hummingbird's own `Application` formats the Date header once a second for as long as it runs. Here it is formatted
/// for each response, so that nothing wakes the process while nobody asks.
struct HTTPListener<Responder: HTTPResponder> where Responder.Context == BasicRequestContext {
    let address: BindAddress
    let server: HTTPServerBuilder
    let limit: ConnectionLimit
    let responder: Responder
    let logger: Logger
    /// Called once it listens.
    let onRunning: @Sendable (any Channel) async -> Void

    /// Runs until it is cancelled or shut down gracefully.
    func run() async throws {
        let service = try server.buildServer(
            configuration: ServerConfiguration(address: address, availableConnectionsDelegate: limit),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger,
            responder: { request, writer, channel in
                let response = try await response(to: request, on: channel)
                do {
                    try await writer.write(response: response.head, body: response.body)
                } catch is HTTPParserError {
                    // Thrown on, it would be answered with a second response.
                    throw ControlServerError("the request became unreadable while it was answered")
                }
            },
            onServerRunning: onRunning)
        try await service.run()
    }

    private func response(to request: Request, on channel: any Channel) async throws -> Response {
        let context = BasicRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        var response = try await responder.respond(to: request, context: context)
        response.headers[.date] = HTTPDate.now
        return response
    }
}
