import ControlProtocol
import Glibc

/// Serves one assistant: reads its messages, asks lightd, and writes the answers. One request is carried out after the
/// other, so that commands reach lightd in the order in which they were sent. While lightd is asked, what needs no lightd is
/// answered.
final class MCPServer {
    private let input: Int32
    private let output: Int32
    /// Makes the session of an assistant of this name, which does something while it waits.
    private let makeSession: (String?, @escaping Transport.Meanwhile) -> Session

    private var connection = MCPConnection()
    private var lines = MessageLines()
    private var isAtEnd = false
    /// Of reading or writing while lightd was asked.
    private var failure: (any Error)?
    /// The newest session, and whose it is.
    private var current: (assistant: String?, session: Session)?

    init(
        input: Int32, output: Int32, session: @escaping (String?, @escaping Transport.Meanwhile) -> Session
    ) {
        (self.input, self.output, makeSession) = (input, output, session)
    }

    /// Serves until the input ends, and everything that came before is answered.
    ///
    /// - Throws: `Console.ReaderGone` if nobody reads the answers.
    func run() throws {
        while true {
            while let request = connection.next() {
                let result = result(of: request)
                if let failure { throw failure }
                try send(connection.finished(result))
            }
            guard !isAtEnd else { return }
            try receive()
        }
    }

    private func result(of request: MCPConnection.Request) -> MCPResult {
        let session = session(of: request.assistant)
        switch request.task {
        case .listTools:
            // A lightd that does not say it refuses what it must.
            let held = try? session.client.get(SessionBody.self, Routes.session, within: .seconds(2)).access
            return MCPResult(MCPTool.List(tools: MCPTool.usable(with: held ?? .full)), request.form)
        case let .call(tool, arguments):
            return MCPResult(tool.outcome(of: arguments, in: session), request.form)
        }
    }

    private func session(of assistant: String?) -> Session {
        if let current, current.assistant == assistant { return current.session }
        let session = makeSession(assistant) { [unowned self] in
            do { try lookAround() } catch { failure = failure ?? error }
            return .milliseconds(100)
        }
        current = (assistant, session)
        return session
    }

    /// Takes in what has come, while lightd is asked.
    private func lookAround() throws {
        while !isAtEnd, failure == nil, !connection.isFull, Poll.hasInput(input) { try receive() }
    }

    /// Waits for input, takes it in, and answers what can be answered at once.
    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(input, &buffer, buffer.count)
        guard count > 0 else {
            guard count == 0 || errno != EINTR else { return }
            guard count == 0 else {
                throw ErrorReply(.invalid, "cannot read standard input: \(String(cString: strerror(errno)))")
            }
            isAtEnd = true
            if let last = lines.end() { try send(connection.received(last)) }
            return
        }
        for line in lines.take(buffer[..<count]) { try send(connection.received(line)) }
    }

    private func send(_ line: String?) throws {
        if let line { try Console.write(line, to: output) }
    }
}
