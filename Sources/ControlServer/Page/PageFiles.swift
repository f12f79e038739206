import CPageFiles
import CZlib
import Crypto
import HTTPTypes
import NIOCore

/// The files of the page, ready to be sent.
///
/// Most are served below a path that names their contents, so that a browser never asks for one twice, and never mixes
/// two versions: an index names only files that were made with it. `{{assets}}` in a file stands for this path.
struct PageFiles: Sendable {
    struct File: Sendable {
        let type: String
        let bytes: ByteBuffer
        /// The same in gzip's format, if that is shorter.
        let compressed: ByteBuffer?
        /// Weak, because it is the same for both.
        let tag: String
        /// Whether its path names its contents.
        let isImmutable: Bool
    }

    /// Those of the program; made when the first of them is asked for, which most starts do not wait for.
    static let embedded = PageFiles(
        UnsafeBufferPointer(start: cpagefiles_first(), count: page_file_count).map { file in
            (String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.size)))
        })

    private static let index = "index.html"
    private static let folder = "/assets/"
    /// Served at the root: a service worker serves the pages below its own path, and a browser asks for both of an
    /// installed page by the same name for ever.
    private static let atRoot = ["sw.js", "manifest.webmanifest"]
    /// What browsers ask for when they show something else than the page, such as a list.
    private static let favicon = "/favicon.ico"

    /// Names the contents of all files: a page that was made of others is of another version of lightd.
    let version: String
    /// By path.
    let files: [String: File]

    init(_ files: [(name: String, bytes: [UInt8])]) {
        var hash = SHA256()
        for (name, bytes) in files.sorted(by: { $0.name < $1.name }) {
            hash.update(data: Array("\(name) \(bytes.count)\n".utf8))
            hash.update(data: bytes)
        }
        let version = Self.tag(hash.finalize())
        self.version = version
        var served: [String: File] = [:]
        for (name, bytes) in files {
            func file(isImmutable: Bool) -> File {
                let text = String(validating: bytes, as: UTF8.self)
                let bytes =
                    text.map { text in
                        let text = ["js", "css"].contains(Self.suffix(of: name)) ? Self.tightened(text) : text
                        return Array(text.replacing("{{assets}}", with: Self.folder + version).utf8)
                    } ?? bytes
                let compressed = gzipped(bytes).flatMap { $0.count < bytes.count ? ByteBuffer(bytes: $0) : nil }
                return File(
                    type: Self.type(of: name), bytes: ByteBuffer(bytes: bytes), compressed: compressed,
                    tag: "W/\"\(Self.tag(SHA256.hash(data: bytes)))\"", isImmutable: isImmutable)
            }
            switch name {
            case Self.index: served["/"] = file(isImmutable: false)
            case _ where Self.atRoot.contains(name): served["/" + name] = file(isImmutable: false)
            default: served["\(Self.folder)\(version)/\(name)"] = file(isImmutable: true)
            }
            if name == "icon.svg" { served[Self.favicon] = file(isImmutable: false) }
        }
        self.files = served
    }

    static func isIndex(_ path: String?) -> Bool { path?.prefix { $0 != "?" } == "/" }

    /// Whether the path belongs to the page, also if no file is there.
    static func isServed(at path: String) -> Bool {
        isIndex(path) || path == favicon || path.hasPrefix(folder) || atRoot.contains { path == "/" + $0 }
    }

    /// Without the lines that are nothing but comments, and without indentation: a fifth of what a phone would fetch.
    private static func tightened(_ text: String) -> String {
        var isInside = false
        return text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { line in
            if isInside {
                isInside = !line.hasSuffix("*/")
                return false
            }
            guard line.hasPrefix("/*"), !line.dropFirst(2).contains("*/") || line.hasSuffix("*/") else {
                return !line.isEmpty && !line.hasPrefix("//")
            }
            isInside = !line.hasSuffix("*/")
            return false
        }
        .joined(separator: "\n")
    }

    private static func suffix(of name: String) -> Substring? { name.split(separator: ".").last }

    /// The first half of a SHA-256 tells two files apart.
    private static func tag(_ digest: SHA256.Digest) -> String { digest.prefix(16).hexadecimal }

    private static func type(of name: String) -> String {
        switch suffix(of: name) {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "woff2": "font/woff2"
        case "webmanifest": "application/manifest+json"
        default: "application/octet-stream"
        }
    }
}

/// The bytes in gzip's format, as small as zlib makes them; `nil` if zlib fails, as it does without memory.
func gzipped(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard czlib_begin_gzip(&stream) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
    let code = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
            (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(output.count))
            return deflate(&stream, Z_FINISH)
        }
    }
    return code == Z_STREAM_END ? Array(output.prefix(Int(stream.total_out))) : nil
}
