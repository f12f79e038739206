import ControlProtocol
import FoundationEssentials
import Glibc

/// The relay that leads to the sites on a broker (``SiteRelayProtocol``), which runs for as long as lightctl does.
final class RelayProcess: Sendable, Equatable {
    /// Where it answers.
    let socket: String
    /// `nil` if another lightctl has started it.
    private let child: ChildProcess?

    /// Names the socket of a relay for a lightctl that is started for one of several sites.
    static let variable = "LIGHTCTL_RELAY"

    /// Starts one, and waits until it answers; or takes the one that the environment names.
    ///
    /// - Parameter broker: the value of `--broker`.
    /// - Throws: if no broker is named, or it cannot be used.
    init(
        broker: String?, insecure: Bool, within timeout: Duration, environment: [String: String]
    ) throws(ErrorReply) {
        if let inherited = environment[Self.variable], !inherited.isEmpty {
            (socket, child) = (inherited, nil)
            return
        }
        guard let broker = broker ?? environment[SiteRelayProtocol.broker], !broker.isEmpty else {
            throw ErrorReply(
                .invalid, "no broker is named, over which sites are reached",
                hint: "name it with --broker or \(SiteRelayProtocol.broker): mqtts://[USER@]HOST[:PORT]")
        }
        let place = environment["XDG_RUNTIME_DIR"].flatMap { access($0, W_OK) == 0 ? $0 : nil } ?? "/tmp"
        socket = "\(place)/lightctl-\(getpid())-\(UInt32.random(in: 0 ... .max))/relay"
        let isInsecure = insecure || environment[Endpoint.insecureVariable] == "1"
        setenv(SiteRelayProtocol.broker, broker, 1)
        do throws(SystemError) {
            child = try ChildProcess(
                [Self.program, SiteRelayProtocol.verb, socket] + (isInsecure ? [SiteRelayProtocol.insecure] : []))
        } catch {
            throw ErrorReply(
                .daemonUnreachable, "cannot run \(Self.program) (\(error)), which sites are reached by",
                hint: error.number == ENOENT ? "install lightd on this machine, too; it need not be started" : nil)
        }
        try waitUntilReady(timeout)
    }

    deinit { child?.end(within: .milliseconds(200)) }

    static func == (one: RelayProcess, other: RelayProcess) -> Bool { one.socket == other.socket }

    /// The lightd beside this lightctl, or the one that is found in PATH.
    private static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let own = String(decoding: path[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let beside = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/lightd"
        return access(String(beside), X_OK) == 0 ? String(beside) : "lightd"
    }

    private func waitUntilReady(_ timeout: Duration) throws(ErrorReply) {
        guard let child else { return }
        let deadline = ContinuousClock.now + timeout
        var said: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while .now < deadline {
            let count = recv(child.stdio, &buffer, buffer.count, 0)
            if count > 0 {
                said += buffer[..<count]
                if said.starts(with: SiteRelayProtocol.ready.utf8) { return }
            } else if count == 0 {
                throw failure(of: child)
            } else if errno == EAGAIN {
                Poll.wait(forInputOf: child.stdio, atMost: deadline - .now)
            } else if errno != EINTR {
                break
            }
        }
        throw ErrorReply(.daemonUnreachable, "the broker did not answer in time")
    }

    /// What it has said at its end.
    private func failure(of child: ChildProcess) -> ErrorReply {
        var said: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        let deadline = ContinuousClock.now + .seconds(1)
        while said.count < 64 * 1024, .now < deadline {
            let count = recv(child.errors, &buffer, buffer.count, 0)
            if count > 0 { said += buffer[..<count] }
            if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { break }
            if count < 0 { Poll.wait(forInputOf: child.errors, atMost: deadline - .now) }
        }
        let text = String(decoding: said, as: UTF8.self)
        let last = text.split(separator: "\n").last.map(String.init) ?? ""
        // What is none is shown as it is.
        return (try? JSONDecoder().decode(ErrorReply.self, from: Data(last.utf8)))
            ?? ErrorReply(.daemonUnreachable, "the relay to the broker has failed (\(printable(last)))")
    }
}
