import Foundation
import Glibc
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// Malformed bytes at every port of the real program: 40,000 connections with one request each, most of them
    /// mutated.
    @Suite struct WireFuzzTests {
        @Test func `lightsim keeps running, whatever bytes arrive at its ports`() async throws {
            let program = try Program(.lightsim, ["--ready-json", "--quirk", "unlimited", "--quirk", "no-button"])
            defer { program.signal(SIGTERM) }
            try await until("lightsim is ready") { !program.lines.isEmpty }
            let ready = try JSONDecoder().decode(
                SimulatedBridge.ConnectionDetails.self, from: Data(program.lines[0].utf8))
            let corpus = Corpus(SimulatedHome(.flat, seed: 1))
            let ports = [ready.httpPort, ready.controlPort, ready.httpsPort, ready.httpPort]
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Eight clients a port: half a request gets no response, and its client only waits.
                for seed in 0..<32 {
                    let port = ports[seed % ports.count]
                    group.addTask {
                        try await onOwnThread {
                            var random = SplitMix(seed: UInt64(seed))
                            for _ in 0..<300 { try Knock.send(corpus.bytes(&random), to: port) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(program.isRunning)
            let response = try await onOwnThread {
                try RawSocket.send(
                    "GET /api/config HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: ready.httpPort)
            }
            #expect(response.bytes.hasPrefix("HTTP/1.1 200"))
            #expect(program.errors == "")
        }
    }
}

/// A connection that sends bytes and waits only briefly.
private enum Knock {
    static func send(_ bytes: [UInt8], to port: Int) throws {
        let socket = try BlockingSocket.connected(to: .ip(port: port))
        defer { close(socket) }
        // Closed with a reset; otherwise tens of thousands of ports would stay in TIME_WAIT for a minute.
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        RawSocket.wait(for: .milliseconds(20), at: socket)
        _ = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(socket, Int32(SHUT_WR))
        // Waits briefly for an answer or the end; half a request gets neither.
        var buffer = [UInt8](repeating: 0, count: 512)
        _ = recv(socket, &buffer, buffer.count, 0)
    }
}

extension Corpus {
    /// One request as bytes of HTTP/1.1, mutated up to twice more.
    fileprivate func bytes(_ random: inout SplitMix) -> [UInt8] {
        let request = request(&random)
        var text = "\(request.method) \(request.fullPath) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        if let key = request.key { text += "hue-application-key: \(key)\r\n" }
        text +=
            ["Content-Length: \(request.body.count)", "Content-Length: -1", "Transfer-Encoding: chunked", "X: \u{1}"]
            .randomElement(using: &random)! + "\r\n\r\n"
        var bytes = Array(text.utf8) + request.body
        for _ in 0..<Int.random(in: 0..<3, using: &random) { bytes = random.mutated(bytes) }
        return bytes
    }
}
