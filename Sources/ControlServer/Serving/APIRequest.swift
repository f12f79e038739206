import ControlProtocol
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// One request, its query read.
struct APIRequest: Sendable {
    static let largestBody = 64 * 1024

    let http: Request
    let query: [Routes.Query: String]
    /// Who asks, for tickets.
    let holder: String

    var wantsStream: Bool {
        http.headers[.accept]?.lowercased().contains("text/event-stream") ?? false
    }

    /// The whole body.
    ///
    /// - Throws: a refusal with 413 where it is longer than 64 KiB.
    func body() async throws -> Data {
        let tooLong = APIError(
            ErrorReply(.invalid, "the body is longer than \(Self.largestBody) bytes; a command is short"),
            status: .contentTooLarge
        )
        if let length = http.headers[.contentLength].flatMap({ Int($0) }), length > Self.largestBody {
            throw tooLong
        }
        var data = Data()
        for try await piece in http.body {
            guard data.count + piece.readableBytes <= Self.largestBody else { throw tooLong }
            data.append(contentsOf: piece.readableBytesView)
        }
        return data
    }
}

extension APIRequest {
    /// - Parameter known: the fields that the path takes.
    /// - Throws: `invalid` for a field that it does not, one given twice, and what is not percent-encoded UTF-8.
    static func fields(of text: Substring?, known: Set<Routes.Query>) throws(ErrorReply) -> [Routes.Query: String] {
        var fields: [Routes.Query: String] = [:]
        for pair in (text ?? "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(halves[0]), let value = decoded(halves.count > 1 ? halves[1] : "") else {
                throw ErrorReply(.invalid, "'\(pair)' in the query is not percent-encoded UTF-8")
            }
            guard let field = Routes.Query(rawValue: name), known.contains(field) else {
                let names = known.map(\.rawValue).sorted().joined(separator: ", ")
                throw ErrorReply(
                    .invalid,
                    "there is no query field '\(name)' here; there is \(names.isEmpty ? "none" : names)"
                )
            }
            guard fields.updateValue(value, forKey: field) == nil else {
                throw ErrorReply(.invalid, "the query field '\(name)' is given twice")
            }
        }
        return fields
    }

    /// As the URL standard reads a query: "+" is a space.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
