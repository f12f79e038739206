import ControlProtocol
import Foundation
import Synchronization
import Testing

@testable import lightctl

/// Commands to a lightd that stops.
@Suite struct StoppingDaemonTests {
    private static let stopping = Transport.Response(
        status: 503, body: Data(Console.json(ErrorReply(.daemonStopping, "lightd is stopping")).utf8))
    private static let answer = Transport.Response(status: 200, body: Data(#"{"ticket":7}"#.utf8))

    /// Sends a command to what gives these answers in turn.
    private func send(_ answers: [Result<Transport.Response, TransportError>]) -> (ErrorCode?, left: Int) {
        let left = Mutex(answers)
        let transport = Transport(
            send: { requests, _, _ in requests.map { _ in left.withLock { $0.removeFirst() } } },
            stream: { _, _, _ throws(TransportError) in throw .timedOut })
        let code = code { _ = try DaemonClient(transport: transport).send(.load, within: .seconds(60)) }
        return (code, left.withLock(\.count))
    }

    @Test func `a command that was refused or left unread is sent again`() {
        let result = send([.success(Self.stopping), .failure(.unread("reset")), .success(Self.answer)])
        #expect(result == (nil, 0))
    }

    @Test func `a command that may have been carried out is not sent again`() {
        #expect(send([.failure(.broken("ended")), .success(Self.answer)]) == (.unconfirmed, 1))
        #expect(send([.failure(.timedOut), .success(Self.answer)]) == (.unconfirmed, 1))
    }

    @Test func `if nothing takes the place of the lightd that stops, that is the result`() {
        let result = send([.success(Self.stopping), .failure(.noConnection(.socket(.missing))), .success(Self.answer)])
        #expect(result == (.daemonUnreachable, 1))
    }

    @Test func `a connection that is closed with the request unread is told apart from one that is closed after it`()
        async throws
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "unread-\(UUID().uuidString.prefix(8))").path
        let listener = UnixServer.listen(at: path)
        defer {
            close(listener)
            unlink(path)
        }
        for isRead in [false, true] {
            let exchange = try Exchange(
                Array("GET / HTTP/1.1\r\n\r\n".utf8), to: .socket(path), until: .now + .seconds(60))
            _ = try exchange.advance()
            let connection = accept(listener, nil, nil)
            var buffer = [UInt8](repeating: 0, count: 100)
            if isRead { _ = recv(connection, &buffer, buffer.count, 0) }
            close(connection)
            let words = "it ended without an answer"
            #expect(throws: isRead ? TransportError.broken(words) : .unread(words)) { try exchange.advance() }
        }
    }
}
