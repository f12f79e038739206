import ControlProtocol
import ControlSurface
import HTTPTypes
import TestSupport
import Testing

@testable import ControlServer

/// Queries as any client may send them.
@Suite struct FuzzTests {
    /// What a stranger writes into the head of a request, before its `Host` and its token are looked at.
    @Test func `no field of a head is taken for another, however its signs are joined`() async throws {
        let pieces = HostileText.joining + HostileText.hidden + HostileText.signs + HostileText.honest
        let samples = ["203.0.113.7", "127.0.0.1", "[::1]:80", "with token 'x' over TCP", "kitchen.lan"]
        let proxies = ["127.0.0.1"].compactMap { AddressRange($0) }
        let settings = ControlServerSettings.TCP(host: "127.0.0.1", port: 8377, names: ["kitchen.lan"])
        try await Fuzzing("request-heads").texts(samples + pieces, batches: 3) { text in
            var head = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/")
            guard let name = HTTPField.Name("X-Forwarded-For") else { throw TestError("no name") }
            // What the client has sent, and what its proxy appends.
            head.headerFields[name] = text + ",203.0.113.7"
            let sender = ForwardedSender(of: head, from: ClientAddress("127.0.0.1"), proxies: proxies)
            guard sender?.address == ClientAddress("203.0.113.7") else { throw TestError("another sender") }
            if ClientAddress(text) != nil, !text.utf8.allSatisfy({ "0123456789abcdefABCDEF:.[]%".utf8.contains($0) }),
                !text.utf8.contains(UInt8(ascii: "%"))
            {
                throw TestError("an address")
            }
            if settings.answers(to: text), !text.isVisibleASCII { throw TestError("a name of lightd's") }
            if let name = ClientName(text)?.text {
                let quotes = name.unicodeScalars.filter { $0.properties.isQuotationMark }
                guard quotes.isEmpty, name.unicodeScalars.count <= Routes.longestClientName,
                    PrintableText.isPrintable(name), ClientName(name)?.text == name
                else { throw TestError("calls itself \(name.debugDescription)") }
            }
        }
    }

    @Test func `every damaged query can be written and read back, or is refused with words`() async throws {
        let samples = [
            "target=%40K%C3%BCche", "target=Living%2FDesk", "since=2026-11-21T10:00:00Z&feature=lighting&limit=10",
            "after=17&limit=1000", "feature=bridges+x", "",
        ]
        let fields: Set<Routes.Query> = [.target, .since, .after, .feature, .limit]
        try await Fuzzing("api-queries").texts(samples, batches: 5) { text in
            do throws(ErrorReply) {
                let query = try APIRequest.fields(of: text, known: fields)
                let again = Routes.path("/", query.map { ($0.key, $0.value) }).split(separator: "?").dropFirst().first
                guard try APIRequest.fields(of: again.map(String.init), known: fields) == query else {
                    throw ErrorReply(.invalid, "")
                }
            } catch {
                guard !error.error.message.isEmpty else { throw TestError("does not read back as itself") }
            }
        }
    }
}
