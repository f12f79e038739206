import ControlProtocol
import Foundation
import HTTPTypes
import Lighting
import LightingTestKit
import NIOCore
import Testing

@testable import ControlServer

@Suite struct PageFilesTests {
    private static let tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0)

    /// Of the repository.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/ControlServer/Page/Files")

    private let page = PageFiles.embedded

    @Test func `every file of the folder is in the program, as it is`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { !$0.hasPrefix(".") }
        let sources = try names.map {
            (name: $0, bytes: [UInt8](try Data(contentsOf: Self.folder.appending(path: $0))))
        }
        let fresh = PageFiles(sources)
        #expect(Set(page.files.keys) == Set(fresh.files.keys))
        for (path, file) in fresh.files {
            #expect(page.files[path]?.bytes == file.bytes, "\(path)")
            #expect(file.type != "application/octet-stream", "\(path)")
        }
    }

    @Test func `no text of a module goes over several lines, whose indentation would not be served`() {
        for (path, file) in page.files where path.hasSuffix(".js") {
            let lines = String(buffer: file.bytes).split(separator: "\n")
            #expect(lines.allSatisfy { $0.count { $0 == "`" }.isMultiple(of: 2) }, "\(path)")
        }
    }

    /// Without the icons of an installed page, and without the catalogue of another language than English.
    @Test func `the whole page has less than 90 kB, compressed`() {
        let files = page.files.filter { path, _ in !path.hasSuffix(".png") && !path.hasSuffix(".json") }
        let sizes = files.values.map { ($0.compressed ?? $0.bytes).readableBytes }
        #expect(sizes.reduce(0, +) < 90_000)
    }

    @Test func `an index names only files that exist, and another file makes another path`() throws {
        let index = try #require(page.files["/"])
        let text = String(buffer: index.bytes)
        let named = text.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.1) }
        #expect(!named.isEmpty && !text.contains("{{"))
        for path in named { #expect(page.files[path]?.isImmutable == true, "\(path)") }
        let files = [("index.html", "{{assets}}"), ("a.js", "1")]
        let versions = [files, [files[0], ("a.js", "2")], [files[0], ("b.js", "1")]].map { files in
            PageFiles(files.map { ($0.0, Array($0.1.utf8)) }).files["/"].map { String(buffer: $0.bytes) }
        }
        #expect(Set(versions).count == 3)
    }

    /// What is imported where it is used (`import('./log.js')`) is fetched when the page has all that it shows first.
    @Test func `an index asks at once for all that the page begins with, and for the rest later`() throws {
        let scripts = page.files.filter { path, _ in path.hasSuffix(".js") && path != "/sw.js" }
        let imported = Dictionary(
            uniqueKeysWithValues: scripts.map { path, file in
                let text = String(buffer: file.bytes)
                let names = text.matches(of: /(?m)^(?:import|export)[^;'()]*?'\.\/(\w+\.js)'/).map { String($0.1) }
                return (String(path.split(separator: "/").last ?? ""), names)
            })
        let begins: Set = ["app.js", "events.js"]
        var first = begins
        while case let more = Set(first.flatMap { imported[$0] ?? [] }).subtracting(first), !more.isEmpty {
            first.formUnion(more)
        }
        let index = String(buffer: try #require(page.files["/"]).bytes)
        func named(_ rel: String) -> [String] {
            index.matches(of: try! Regex<(Substring, Substring)>("\(rel)\"[^>]*/(\\w+\\.js)\"")).map { String($0.1) }
        }
        #expect(named("modulepreload") == first.subtracting(begins).sorted())
        #expect(named("prefetch") == Set(imported.keys).subtracting(first).sorted())
    }

    @Test func `phones find an icon that they can show`() throws {
        struct Manifest: Decodable {
            struct Icon: Decodable {
                let src: String
                let sizes: String
            }
            let icons: [Icon]
        }
        let manifest = try JSONDecoder().decode(
            Manifest.self, from: Data(try #require(page.files["/manifest.webmanifest"]).bytes.readableBytesView))
        let icons = manifest.icons.filter { $0.src.hasSuffix(".png") }.map { (path: $0.src, size: $0.sizes) }
        // Android asks for these two, iOS for one that the index names.
        #expect(Set(icons.map(\.size)) == ["192x192", "512x512"])
        let index = String(buffer: try #require(page.files["/"]).bytes)
        let touch = try #require(index.firstMatch(of: /rel="apple-touch-icon" href="([^"]+)"/)?.1)
        #expect(page.files[String(touch)]?.type == "image/png")
        for (path, size) in icons {
            let file = try #require(page.files[path])
            let bytes = Array(file.bytes.readableBytesView)
            #expect(file.type == "image/png" && bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            // The width and the height of a PNG stand at its beginning.
            let (width, height) = (
                bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }, bytes[20..<24].reduce(0) { $0 << 8 | Int($1) }
            )
            #expect("\(width)x\(height)" == size)
        }
    }

    @Test func `files are compressed for those who take that, and the same after unpacking`() async throws {
        let text = String(repeating: "lamp ", count: 1000)
        let file = try #require(PageFiles([("a.js", Array(text.utf8))]).files.values.first)
        let compressed = try #require(file.compressed)
        #expect(compressed.readableBytes < 100)
        let gunzip = Process()
        (gunzip.executableURL, gunzip.arguments) = (URL(filePath: "/usr/bin/env"), ["gzip", "-d"])
        let (input, output) = (Pipe(), Pipe())
        (gunzip.standardInput, gunzip.standardOutput) = (input, output)
        try gunzip.run()
        try input.fileHandleForWriting.write(contentsOf: Data(compressed.readableBytesView))
        try input.fileHandleForWriting.close()
        #expect(output.fileHandleForReading.readDataToEndOfFile() == Data(text.utf8))
    }

    @Test(arguments: [
        ("gzip", true), ("gzip, deflate, br, zstd", true), ("br;q=1.0, GZIP;q=0.5", true), ("*", true),
        ("gzip;q=0", false), ("*, gzip;q=0", false), ("gzip; q=0.000", false), ("br", false), ("identity", false),
        ("", false),
    ])
    func `what a client takes is in Accept-Encoding`(value: String, takesGzip: Bool) {
        var request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/")
        if !value.isEmpty { request.headerFields[.acceptEncoding] = value }
        #expect(request.acceptsGzip == takesGzip)
    }

    @Test func `strangers get every file, over TCP and the socket, with what keeps others out of the page`()
        async throws
    {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            for address in [server.address, .port(try #require(server.port))] {
                for (path, file) in page.files {
                    let answer = try await ClientFixture.ask(address, "GET", path)
                    #expect(answer.status == 200 && answer.body == Data(file.bytes.readableBytesView), "\(path)")
                    #expect(answer.headers["content-type"] == file.type && answer.headers["vary"] == "Accept-Encoding")
                    #expect(answer.headers["x-content-type-options"] == "nosniff")
                    #expect(answer.headers["referrer-policy"] == "no-referrer")
                    let policy = try #require(answer.headers["content-security-policy"])
                    #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"))
                    let isForEver = path.hasPrefix("/assets/")
                    #expect(answer.headers["cache-control"]?.contains("immutable") == isForEver)
                    let tag = try #require(answer.headers["etag"])
                    let again = try await ClientFixture.ask(address, "GET", path, ["If-None-Match": tag])
                    #expect(again.status == 304 && again.headers["etag"] == tag && again.body.isEmpty)
                }
                let icon = try await ClientFixture.ask(address, "GET", "/favicon.ico")
                #expect(icon.status == 200 && icon.headers["content-type"] == "image/svg+xml")
                let index = try await ClientFixture.ask(
                    address, "GET", "/?source=home", ["Accept-Encoding": "gzip"])
                #expect(index.headers["content-encoding"] == "gzip" && index.body.starts(with: [0x1F, 0x8B]))
                #expect(try await ClientFixture.ask(address, "GET", "/assets/0/app.js").status == 404)
                #expect(try await ClientFixture.ask(address, "POST", "/", body: "{}").headers["allow"] == "GET, HEAD")
            }
        }
    }

    @Test func `HEAD is answered as GET is, without the body`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let client = try ClientFixture(.port(try #require(server.port)))
            let length = page.files["/"]?.bytes.readableBytes ?? 0
            for _ in 1...2 {
                try await client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let answer = try await client.answer(hasBody: false)
                #expect(answer.status == 200 && answer.headers["content-length"] == "\(length)")
            }
            #expect(client.isSilent)
        }
    }

    @Test func `a stranger may fetch the page over one connection, and nothing else after it`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let client = try ClientFixture(.port(try #require(server.port)))
            for path in page.files.keys {
                #expect(try await client.ask("GET", path).headers["connection"] != "close")
            }
            let data = try await client.ask("GET", Routes.lights)
            #expect(data.status == 401 && data.headers["connection"] == "close")
            #expect(try await client.isEnded())
        }
    }

    @Test func `a page of another name gets no file, and neither does one that was rebound to lightd's address`()
        async throws
    {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let port = try #require(server.port)
            for path in page.files.keys {
                for headers in [
                    ["Host": "evil.example"], ["Host": "evil.example:\(port)"],
                    ["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"],
                ] {
                    let answer = try await ClientFixture.ask(.port(port), "GET", path, headers)
                    #expect(answer.status == 403 && answer.headers["connection"] == "close")
                }
            }
        }
    }

    @Test(arguments: [
        ("GET", "/", "navigate", 200), ("GET", "/?a=b", "navigate", 200), ("POST", "/", "navigate", 403),
        ("GET", "/", "no-cors", 403), ("GET", "/sw.js", "navigate", 403), ("GET", Routes.lights, "navigate", 403),
        ("GET", Routes.live, "navigate", 403),
    ])
    func `a link in a mail or a chat opens the index, and nothing else`(
        method: String, path: String, mode: String, status: Int
    ) async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            for address in [server.address, .port(try #require(server.port))] {
                let headers = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode]
                #expect(try await ClientFixture.ask(address, method, path, headers).status == status)
            }
        }
    }
}
