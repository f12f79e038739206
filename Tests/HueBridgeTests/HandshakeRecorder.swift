import Foundation
import Glibc
import Synchronization

/// Forwards every byte between a client and a server on loopback, and records what can be read of each TLS handshake.
final class HandshakeRecorder: Sendable {
    /// One connection's handshake, as far as it is unencrypted.
    struct Handshake: Equatable, Sendable {
        /// 1.3, otherwise 1.2.
        var isV13: Bool
        /// Whether the client offered an earlier session by a ticket; session ids of 1.2 may be meaningless and do not
        /// count.
        var isOffered: Bool
        /// Whether the server accepted it: no certificate was shown.
        var isResumed: Bool
    }

    let port: Int
    private let listener: Int32
    private let target: Int
    private let isFrozen = Mutex(false)
    private let heard = Mutex<[Recording]>([])

    /// The first bytes of one connection, each way.
    private final class Recording: Sendable {
        let said = Mutex((client: [UInt8](), server: [UInt8]()))
    }

    init(before target: Int) throws {
        self.target = target
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard code else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in accept() }
    }

    /// Behaves like a host that has left its address: nothing is forwarded any more, and no connection is closed.
    func freeze() { isFrozen.withLock { $0 = true } }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The handshakes that were answered, oldest first.
    var handshakes: [Handshake] {
        heard.withLock { $0 }.compactMap { recorder in recorder.said.withLock { Handshake($0.client, $0.server) } }
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { break }
            if isFrozen.withLock({ $0 }) { continue }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.loopback(target)
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            let recorder = Recording()
            heard.withLock { $0.append(recorder) }
            guard code == 0 else {
                close(client)
                close(server)
                continue
            }
            // Each direction has its own thread; the last to end closes both.
            let shared = Ends(client: client, server: server)
            Thread.detachNewThread { [self] in
                shared.pass(client, server) { bytes in
                    recorder.said.withLock { $0.client += bytes }; return !isFrozen.withLock { $0 }
                }
            }
            Thread.detachNewThread { [self] in
                shared.pass(server, client) { bytes in
                    recorder.said.withLock { $0.server += bytes }; return !isFrozen.withLock { $0 }
                }
            }
        }
        close(listener)
    }

    private final class Ends: Sendable {
        private let left = Mutex(2)
        private let client: Int32
        private let server: Int32

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }

        func pass(_ from: Int32, _ to: Int32, _ hear: ([UInt8]) -> Bool) {
            var bytes = [UInt8](repeating: 0, count: 16384)
            while case let count = recv(from, &bytes, bytes.count, 0), count > 0 {
                guard hear(Array(bytes[..<count])) else { continue }
                guard send(to, bytes, count, Int32(MSG_NOSIGNAL)) == count else { break }
            }
            shutdown(to, Int32(SHUT_WR))
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            guard isLast else { return }
            close(client)
            close(server)
        }
    }
}

extension HandshakeRecorder.Handshake {
    fileprivate init?(_ client: [UInt8], _ server: [UInt8]) {
        let (asked, answered) = (Self.messages(client), Self.messages(server))
        guard let hello = asked.first(where: { $0.type == 1 })?.body,
            let answer = answered.first(where: { $0.type == 2 })?.body
        else { return nil }
        // After the version, the random and the session id come ciphers and compressions: lists from the client, one
        // each from the server.
        let offered = Self.extensions(hello) { reader in
            reader.skip(list: 2)
            reader.skip(list: 1)
        }
        let taken = Self.extensions(answer) { $0.skip(3) }
        isV13 = taken[43] != nil
        isOffered = offered[41] != nil || offered[35]?.isEmpty == false
        isResumed = isV13 ? taken[41] != nil : !answered.contains { $0.type == 11 }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func number(_ bytes: Int) -> Int {
            defer { rest = rest.dropFirst(bytes) }
            return rest.prefix(bytes).reduce(0) { $0 << 8 | Int($1) }
        }

        mutating func take(_ bytes: Int) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(bytes) }
            return rest.prefix(bytes)
        }

        mutating func skip(_ bytes: Int) { rest = rest.dropFirst(bytes) }
        mutating func skip(list bytes: Int) { skip(number(bytes)) }
    }

    /// The handshake messages before encryption begins.
    private static func messages(_ bytes: [UInt8]) -> [(type: Int, body: ArraySlice<UInt8>)] {
        var records = Reader(rest: bytes[...])
        var plain: [UInt8] = []
        while records.rest.first == 22 {
            records.skip(3)
            let length = records.number(2)
            plain += records.take(length)
        }
        var reader = Reader(rest: plain[...])
        var messages: [(type: Int, body: ArraySlice<UInt8>)] = []
        while reader.rest.count >= 4 {
            let type = reader.number(1)
            let length = reader.number(3)
            messages.append((type, reader.take(length)))
        }
        return messages
    }

    private static func extensions(_ hello: ArraySlice<UInt8>, past: (inout Reader) -> Void) -> [Int: [UInt8]] {
        var reader = Reader(rest: hello.dropFirst(34))
        reader.skip(list: 1)
        past(&reader)
        reader.skip(2)
        var found: [Int: [UInt8]] = [:]
        while reader.rest.count >= 4 {
            let type = reader.number(2)
            let length = reader.number(2)
            found[type] = Array(reader.take(length))
        }
        return found
    }
}
