import ArgumentParser
import ControlProtocol
import Foundation
import Testing

@testable import lightctl

@Suite struct OpenCommandTests {
    private let code = QRBody(size: 3, rows: ["101", "010", "111"])

    @Test(arguments: [([], nil), (["--read-only"], TokenAccess.readOnly)] as [([String], TokenAccess?)])
    func `open asks for a link with this access`(options: [String], access: TokenAccess?) throws {
        let link = LinkBody(url: "http://127.0.0.1:1/#join=x", access: .full, expires: "", qr: code)
        let json = String(decoding: try JSONEncoder().encode(link), as: UTF8.self)
        let server = try UnixServer(answers: ["POST /v1/links": json])
        defer { server.stop() }
        var command = try LightCtl.parsed(["--quiet", "--json", "--socket", server.path, "open"] + options)
        try command.run()
        let sent = try server.requests.map { try JSONDecoder().decode(LinkRequest.self, from: Data($0.body.utf8)) }
        #expect(sent == [LinkRequest(access: access)])
    }

    @Test func `a code is dark on light, with light around it, whatever the colours of the terminal`() throws {
        let lines = try #require(QRText.lines(code, on: .screen(colours: .full))).split(separator: "\n")
        #expect(lines.count == 6)
        for line in lines { #expect(line.hasPrefix("\u{1B}[") && line.hasSuffix("\u{1B}[0m")) }
        let plain = lines.map { $0.drop { $0 != "m" }.dropFirst().prefix { $0 != "\u{1B}" } }
        #expect(plain == ["           ", "           ", "    ▀▄▀    ", "    ▀▀▀    ", "           ", "           "])
        #expect(QRText.lines(code, on: .screen(colours: .sixteen))?.hasPrefix("\u{1B}[30;47m") == true)
    }

    @Test func `without colours the light modules are drawn, as on a dark background`() throws {
        let lines = try #require(QRText.lines(code, on: .screen())).split(separator: "\n")
        #expect(
            lines == [
                "███████████", "███████████", "████▄▀▄████", "████▄▄▄████", "███████████", "▀▀▀▀▀▀▀▀▀▀▀",
            ])
    }

    @Test func `a terminal that is too narrow or knows no Unicode gets no code, and neither does a pipe`() {
        for terminal in [Terminal.screen(10), .screen(unicode: false), .pipe] {
            #expect(QRText.lines(code, on: terminal) == nil)
        }
    }
}
