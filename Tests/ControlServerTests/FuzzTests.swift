import ControlProtocol
import TestSupport
import Testing

@testable import ControlServer

/// Queries as any client may send them.
@Suite struct FuzzTests {
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
