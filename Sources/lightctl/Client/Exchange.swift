import Glibc

/// One request and its response, over a connection of its own to a unix socket. Nothing here blocks; ``Poll`` waits.
final class Exchange {
    let descriptor: Int32
    private var unsent: ArraySlice<UInt8>
    private var reader = ResponseReader()
    /// Whether lightd has closed the connection before it had read the whole request.
    private var isUnread = false
    /// Reused: a follower wakes up for every event.
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    var status: Int? { reader.status }
    var mediaType: String? { reader.mediaType }
    var isComplete: Bool { reader.isComplete }
    var isSent: Bool { unsent.isEmpty }

    /// - Throws: `noConnection`.
    init(_ request: [UInt8], to path: String) throws(TransportError) {
        unsent = request[...]
        do throws(SocketDiagnosis) {
            descriptor = try SocketDiagnosis.connect(to: path)
        } catch {
            throw .noConnection(error)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Sends and receives what is possible now.
    ///
    /// - Returns: the bytes of the body that came in. What follows them may be an error, which the next call throws.
    func advance() throws(TransportError) -> [UInt8] {
        send()
        var body: [UInt8] = []
        while !reader.isComplete, reader.fault == nil {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                body += reader.read(buffer[..<count])
            } else if count == 0 || errno == ECONNRESET {
                // Linux resets a unix socket whose other end was closed while bytes for it were left unread.
                if reader.status == nil, count != 0 { isUnread = true }
                reader.end()
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                throw .broken(String(cString: strerror(errno)))
            }
        }
        if body.isEmpty, let fault = reader.fault {
            throw isUnread && reader.status == nil ? .unread(fault) : .broken(fault)
        }
        return body
    }

    private func send() {
        while !unsent.isEmpty {
            let sent = unsent.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent >= 0 {
                unsent = unsent.dropFirst(sent)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                // lightd may answer a request that it does not read to its end: what it says tells more.
                unsent = []
                isUnread = true
            }
        }
    }
}

/// Waiting for several exchanges, on the calling thread.
enum Poll {
    /// Waits until one of the exchanges can go on, a signal comes in, or the time is over.
    ///
    /// - Parameter wait: `nil` waits as long as it takes.
    static func wait(for exchanges: [Exchange], atMost wait: Duration?) {
        var descriptors = exchanges.map {
            pollfd(fd: $0.descriptor, events: Int16($0.isSent ? POLLIN : POLLIN | POLLOUT), revents: 0)
        }
        // Rounded up, so that the time is over when poll() returns.
        let milliseconds = wait.map { Int32(min(max(($0 / .milliseconds(1)).rounded(.up), 0), 1e9)) } ?? -1
        poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }

    static func sleep(_ duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end { wait(for: [], atMost: end - .now) }
    }
}
