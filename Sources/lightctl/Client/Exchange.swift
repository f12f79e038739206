import Glibc

/// One request and its response, over a connection of its own. Nothing here blocks; ``Poll`` waits.
final class Exchange {
    private var descriptor: Int32 = -1
    /// Has the descriptor, if there is one.
    private var tunnel: Tunnel?
    private var unsent: ArraySlice<UInt8>
    private var reader = ResponseReader()
    /// While connecting by TCP.
    private var connecting: Connecting?
    /// Whether bytes that lightd left unread are known by the reset of the connection. Linux resets a unix socket whose
    /// other end was closed with bytes for it left unread; over TCP a reset may come later, and from others.
    private let resetMeansUnread: Bool
    /// Whether lightd has closed the connection before it had read the whole request.
    private var isUnread = false
    /// Reused: a follower wakes up for every event.
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    private struct Connecting {
        let deadline: ContinuousClock.Instant
        var current: IPEndpoint
        /// The time of the current address is over; the next one's begins.
        var end: ContinuousClock.Instant
        var left: ArraySlice<IPEndpoint>
        var failed: [HostDiagnosis.Attempt] = []
    }

    var status: Int? { reader.status }
    var mediaType: String? { reader.mediaType }
    var unreadBridges: [String] { reader.unreadBridges }
    var isComplete: Bool { reader.isComplete }
    /// When there is something to do even if nothing comes in.
    var wakeUp: ContinuousClock.Instant? { connecting.flatMap { $0.left.isEmpty ? nil : $0.end } }

    /// - Parameter deadline: how long the addresses of a host may take together; each gets its share.
    /// - Throws: `noConnection`.
    init(
        _ request: [UInt8], to destination: Destination, until deadline: ContinuousClock.Instant
    ) throws(TransportError) {
        unsent = request[...]
        switch destination {
        case let .socket(path):
            resetMeansUnread = true
            do throws(SocketDiagnosis) {
                descriptor = try SocketDiagnosis.connect(to: path)
            } catch {
                throw .noConnection(.socket(error))
            }
        case let .addresses(addresses):
            resetMeansUnread = false
            try connect(to: addresses[...], until: deadline, after: [])
        case let .program(command):
            resetMeansUnread = false
            do throws(TunnelDiagnosis) {
                let tunnel = try Tunnel(command)
                (self.tunnel, descriptor) = (tunnel, tunnel.descriptor)
            } catch {
                throw .noConnection(.tunnel(error))
            }
        }
    }

    deinit { disconnect() }

    private func disconnect() {
        if let tunnel { tunnel.close() } else if descriptor >= 0 { close(descriptor) }
        tunnel = nil
        descriptor = -1
    }

    /// Begins to connect to the first address for which that is possible.
    ///
    /// - Throws: `noConnection` if none is left.
    private func connect(
        to addresses: ArraySlice<IPEndpoint>, until deadline: ContinuousClock.Instant,
        after failed: [HostDiagnosis.Attempt]
    ) throws(TransportError) {
        disconnect()
        var (left, failed) = (addresses, failed)
        while let address = left.popFirst() {
            do throws(SystemError) {
                descriptor = try address.connect()
                let share = (deadline - .now) / (left.count + 1)
                connecting = Connecting(
                    deadline: deadline, current: address, end: .now + share, left: left, failed: failed)
                return
            } catch {
                failed.append(.init(address: address.address, error: error))
            }
        }
        connecting = nil
        throw .noConnection(.host(.unreachable(failed)))
    }

    /// What it means that the time for it is over.
    func timeOut() -> TransportError {
        if let tunnel, !tunnel.isOpen { return .noConnection(.tunnel(.timedOut(said: tunnel.words))) }
        guard let connecting else { return .timedOut }
        let silent = HostDiagnosis.Attempt(address: connecting.current.address, error: nil)
        return .noConnection(.host(.unreachable(connecting.failed + [silent])))
    }

    /// Sends and receives what is possible now.
    ///
    /// - Returns: the bytes of the body that came in. What follows them may be an error, which the next call throws.
    func advance() throws(TransportError) -> [UInt8] {
        if let tunnel {
            guard try tunnel.isOpenNow else { return [] }
        }
        try send()
        guard connecting == nil else { return [] }
        var body: [UInt8] = []
        while !reader.isComplete, reader.fault == nil {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                body += reader.read(buffer[..<count])
            } else if count == 0 || errno == ECONNRESET {
                if reader.status == nil, count != 0, resetMeansUnread { isUnread = true }
                if reader.status == nil, tunnel?.end(within: .seconds(2)) == DialStdio.unread { isUnread = true }
                reader.end()
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                throw .broken(String(cString: strerror(errno)))
            }
        }
        if body.isEmpty, let fault = reader.fault {
            let words = tunnel?.words ?? ""
            throw isUnread && reader.status == nil
                ? .unread(fault) : .broken(words.isEmpty ? fault : "\(fault): \(words)")
        }
        return body
    }

    private func send() throws(TransportError) {
        while !unsent.isEmpty {
            let sent = unsent.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent >= 0 {
                unsent = unsent.dropFirst(sent)
                connecting = nil
            } else if errno == EINTR {
                continue
            } else if let connecting {
                // The kernel answers the first bytes with what became of the connection.
                let error = errno == EAGAIN ? nil : SystemError(number: errno)
                guard error != nil || (connecting.end <= .now && !connecting.left.isEmpty) else { return }
                try connect(
                    to: connecting.left, until: connecting.deadline,
                    after: connecting.failed + [.init(address: connecting.current.address, error: error)])
            } else if errno == EAGAIN {
                return
            } else {
                // lightd may answer a request that it does not read to its end: what it says tells more.
                unsent = []
                isUnread = true
            }
        }
    }
}

extension Exchange {
    /// What to wait for.
    fileprivate var waits: [pollfd] {
        let isWriting = !unsent.isEmpty && tunnel?.isOpen != false
        let connection = pollfd(fd: descriptor, events: Int16(isWriting ? POLLIN | POLLOUT : POLLIN), revents: 0)
        return [connection] + (tunnel.map { [pollfd(fd: $0.errors, events: Int16(POLLIN), revents: 0)] } ?? [])
    }
}

extension Tunnel {
    /// Whether it is open, after reading what there is to read.
    fileprivate var isOpenNow: Bool {
        get throws(TransportError) {
            do throws(TunnelDiagnosis) {
                try advance()
            } catch {
                throw .noConnection(.tunnel(error))
            }
            return isOpen
        }
    }
}

/// Waiting for several exchanges, on the calling thread.
enum Poll {
    /// Waits until one of the exchanges can go on, a signal comes in, or the time is over.
    ///
    /// - Parameter wait: `nil` waits as long as it takes.
    static func wait(for exchanges: [Exchange], atMost wait: Duration?) {
        var descriptors = exchanges.flatMap(\.waits)
        let next = exchanges.compactMap(\.wakeUp).min().map { $0 - .now }
        Self.wait(for: &descriptors, atMost: [wait, next].compactMap { $0 }.min())
    }

    /// Waits until a descriptor has something to read, a signal comes in, or the time is over.
    static func wait(forInputOf descriptor: Int32, atMost wait: Duration) {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        Self.wait(for: &descriptors, atMost: wait)
    }

    /// Waits until something happens on one of the descriptors, or a signal comes in.
    static func wait(for descriptors: [pollfd]) {
        var descriptors = descriptors
        wait(for: &descriptors, atMost: nil)
    }

    /// Whether a descriptor has something to read, or has ended.
    static func hasInput(_ descriptor: Int32) -> Bool {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        wait(for: &descriptors, atMost: .zero)
        return descriptors[0].revents != 0
    }

    private static func wait(for descriptors: inout [pollfd], atMost wait: Duration?) {
        // Rounded up, so that the time is over when poll() returns.
        let milliseconds = wait.map { Int32(min(max(($0 / .milliseconds(1)).rounded(.up), 0), 1e9)) } ?? -1
        poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }

    static func sleep(_ duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end { wait(for: [], atMost: end - .now) }
    }
}
