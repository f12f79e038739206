import ControlProtocol
import Glibc

/// The hidden verb that ssh runs on lightd's machine: standard input and output become a connection to lightd's socket.
enum DialStdio {
    static let verb = "dial-stdio"

    /// Printed when the socket has accepted the connection. What comes before it, shells have printed; what is sent
    /// before it, nobody has read.
    static let greeting = "lightctl: connected to lightd\n"

    /// - Parameters:
    ///   - arguments: the socket's path, or nothing.
    ///   - environment: names the socket if the arguments do not; `LIGHTCTL_URL` would lead away from here.
    /// - Throws: ``ErrorReply``.
    static func run(_ arguments: [String], environment: [String: String]) throws {
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
        copy(from: STDIN_FILENO, to: STDOUT_FILENO, over: socket)
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
    static func copy(from input: Int32, to output: Int32, over socket: Int32) {
        var (up, down): ([UInt8], [UInt8]) = ([], [])
        var isInputOpen = true
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
            guard poll(&waits, nfds_t(waits.count), -1) >= 0 || errno == EINTR else { return }
            let (fromInput, fromSocket, toOutput) = (waits[0].revents, waits[1].revents, waits[2].revents)
            if toOutput & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return }
            if toOutput & Int16(POLLOUT) != 0 {
                guard put(&down, to: output) else { return }
            }
            if down.isEmpty, fromSocket != 0 {
                switch bytes(of: socket) {
                case .some(let more): down = more
                // Its end, also by a reset.
                case nil: return
                }
            }
            if fromInput != 0 {
                guard let more = bytes(of: input) else {
                    isInputOpen = false
                    shutdown(socket, Int32(SHUT_WR))
                    continue
                }
                up = more
            }
            // lightd may answer what it does not read to its end.
            if !up.isEmpty, !send(&up, to: socket) { (up, isInputOpen) = ([], false) }
        }
    }

    /// - Returns: what can be read now; `nil` at the end.
    private static func bytes(of descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil }
        return Array(buffer[..<count])
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
