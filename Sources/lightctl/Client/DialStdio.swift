import ControlProtocol
import Glibc

/// The hidden verb that ssh runs on lightd's machine: standard input and output become a connection to lightd's socket.
enum DialStdio {
    static let verb = "dial-stdio"

    /// Printed when the socket has accepted the connection. What comes before it, shells have printed; what is sent
    /// before it, nobody has read.
    static let greeting = "lightctl: connected to lightd\n"

    /// The exit status if lightd has closed the connection before it had read everything, as one that stops does: EX_TEMPFAIL
    /// of sysexits(3). At the other end nothing else tells that.
    static let unread: Int32 = 75

    /// - Parameters:
    ///   - arguments: the socket's path, or nothing.
    ///   - environment: names the socket if the arguments do not; `LIGHTCTL_URL` would lead away from here.
    /// - Returns: the exit status.
    /// - Throws: ``ErrorReply``.
    static func run(_ arguments: [String], environment: [String: String]) throws -> Int32 {
        guard arguments.count <= 1 else {
            throw ErrorReply(.invalid, "'\(verb)' takes the path of a socket, and nothing else")
        }
        let path = SocketPath(option: arguments.first, environment: environment) { access($0, F_OK) == 0 }
        let socket: Int32
        do throws(SocketDiagnosis) {
            socket = try SocketDiagnosis.connect(to: path.chosen)
        } catch {
            throw reply(error, path)
        }
        defer { close(socket) }
        try Console.write(greeting, to: STDOUT_FILENO)
        return copy(from: STDIN_FILENO, to: STDOUT_FILENO, over: socket) ? 0 : unread
    }

    /// In words for somebody at another machine.
    private static func reply(_ diagnosis: SocketDiagnosis, _ path: SocketPath) -> ErrorReply {
        switch diagnosis {
        case .missing, .notSocket, .notListening:
            ErrorReply(
                .daemonUnreachable, "cannot reach lightd at \(path.chosen) (\(diagnosis.reason))",
                hint: "there, 'systemctl status lightd' says whether it runs; another socket stands after the host: "
                    + "ssh://HOST/PATH")
        case .notAllowed, .pathTooLong, .other: diagnosis.reply(path)
        }
    }

    /// Copies both ways until lightd has ended its answer, or nobody reads it. The end of the input ends one direction only:
    /// lightd's answer still comes.
    ///
    /// - Parameter socket: does not block. The others may, because they belong to others, too.
    /// - Returns: `false` if lightd has said nothing, and has left something unread.
    @discardableResult
    static func copy(from input: Int32, to output: Int32, over socket: Int32) -> Bool {
        var (up, down): ([UInt8], [UInt8]) = ([], [])
        var isInputOpen = true
        // Linux resets a unix socket whose other end was closed with bytes for it left unread.
        var (isAnswered, isUnread) = (false, false)
        while true {
            var waits = [
                pollfd(fd: isInputOpen && up.isEmpty ? input : -1, events: Int16(POLLIN), revents: 0),
                // A socket that has ended tells that always.
                pollfd(
                    fd: down.isEmpty || !up.isEmpty ? socket : -1,
                    events: Int16((down.isEmpty ? POLLIN : 0) | (up.isEmpty ? 0 : POLLOUT)), revents: 0),
                // Without anything to write it still tells that nobody reads.
                pollfd(fd: output, events: Int16(down.isEmpty ? 0 : POLLOUT), revents: 0),
            ]
            guard poll(&waits, nfds_t(waits.count), -1) >= 0 || errno == EINTR else { return true }
            let (fromInput, fromSocket, toOutput) = (waits[0].revents, waits[1].revents, waits[2].revents)
            if toOutput & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return true }
            if toOutput & Int16(POLLOUT) != 0 {
                guard put(&down, to: output) else { return true }
            }
            if down.isEmpty, fromSocket != 0 {
                let (more, error) = bytes(of: socket)
                guard let more else { return isAnswered || !(isUnread || error == ECONNRESET) }
                down = more
                isAnswered = isAnswered || !more.isEmpty
            }
            if fromInput != 0 {
                guard let more = bytes(of: input).read else {
                    isInputOpen = false
                    shutdown(socket, Int32(SHUT_WR))
                    continue
                }
                up = more
            }
            // lightd may answer what it does not read to its end.
            if !up.isEmpty, !send(&up, to: socket) { (up, isInputOpen, isUnread) = ([], false, true) }
        }
    }

    /// - Returns: what can be read now; `nil` at the end, with the `errno` if it is not 0.
    private static func bytes(of descriptor: Int32) -> (read: [UInt8]?, error: Int32) {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(descriptor, &buffer, buffer.count)
        let error = count < 0 ? errno : 0
        guard count > 0 else { return (error == EAGAIN || error == EINTR ? [] : nil, error) }
        return (Array(buffer[..<count]), 0)
    }

    /// - Returns: whether more can be written.
    private static func put(_ bytes: inout [UInt8], to descriptor: Int32) -> Bool {
        // What poll() finds ready takes as much as a pipe takes at once, without blocking.
        let count = write(descriptor, bytes, min(bytes.count, 4096))
        if count > 0 { bytes.removeFirst(count) }
        return count >= 0 || errno == EAGAIN || errno == EINTR
    }

    private static func send(_ bytes: inout [UInt8], to socket: Int32) -> Bool {
        let count = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if count > 0 { bytes.removeFirst(count) }
        return count >= 0 || errno == EAGAIN || errno == EINTR
    }
}
