import CommandGrammar
import TestSupport
import Testing

@testable import lightctl

/// The values of lightctl's arguments, as people mistype them.
@Suite struct FuzzTests {
    private static let samples = [
        "400ms", "1.5s", "2min", "1h", "30m", "2d", "2026-11-21", "2026-11-21T10:00", "2026-02-28 23:59:59.999Z",
        "2026-11-21 10:00:30+05:30", "1969-12-31T23:59:59-01:00",
        "http://lights.lan", "http://192.168.1.3:8377/", "HTTP://[fe80::1%25eth0]:80",
    ]

    @Test func `every damaged value is read within its range, or refused with words`() async throws {
        try await Fuzzing("lightctl-values").texts(Self.samples, batches: 5) { text in
            if let url = try? DaemonURL(text), try DaemonURL(url.description) != url {
                throw TestError("\(text) is read as \(url), and that as another one")
            }
            try Self.check(text, Since.init(argument:)) {
                let moment = $0.moment(in: .noon)
                return Moment(iso: moment.iso) == moment
            }
        }
    }

    /// - Throws: unless the text is read the same way twice and as a valid value, or refused with words.
    private static func check<Value: Equatable>(
        _ text: String, _ parse: (String) throws(ArgumentError) -> Value, isValid: (Value) -> Bool
    ) throws {
        let value: Value
        do throws(ArgumentError) {
            value = try parse(text)
        } catch {
            guard error.description.contains(": "), !error.description.contains(where: \.isNewline) else {
                throw TestError("\(Value.self) is refused with '\(error)'")
            }
            return
        }
        guard isValid(value), try parse(text) == value else { throw TestError("read as \(value)") }
    }
}
