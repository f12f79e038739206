import TestSupport
import Testing

@testable import LightDaemon

/// Configurations with mistakes of every kind.
@Suite struct FuzzTests {
    @Test func `every damaged configuration is read the same way twice, or refused in one line that says where`()
        async throws
    {
        let samples = [try Repository.text("Config/lightd.yaml")] + SettingFixture.all.map { $0.yaml($0.inFile.yaml) }
        try await Fuzzing("configuration").texts(samples, batches: 1) { yaml in
            let (first, second) = (Self.read(yaml), Self.read(yaml))
            guard first == second else { throw TestError("read in two ways: \(first), \(second)") }
            guard case let .failure(error) = first else { return }
            guard error.location.hasPrefix("f.yaml"), !error.message.isEmpty,
                !error.description.contains(where: \.isNewline)
            else { throw TestError("refused with '\(error)'") }
        }
    }

    @Test func `every damaged variable is read, or refused in one line with its name`() async throws {
        let samples = SettingFixture.all.flatMap { setting in
            ([setting.inEnvironment.text] + setting.wrong).map { "\(setting.variable)=\($0)" }
        }
        try await Fuzzing("environment").texts(samples, batches: 2) { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let environment = [parts[0]: parts.count > 1 ? parts[1] : ""]
            guard case let .failure(error) = Self.read("", environment: environment) else { return }
            guard error.description.contains("LIGHTD_"), !error.description.contains(where: \.isNewline) else {
                throw TestError("refused with '\(error)'")
            }
        }
    }

    @Test func `a short file of aliases that would expand to billions of keys is refused at once`() {
        let levels = (1...30).map { "l\($0): &l\($0) {a: *l\($0 - 1), b: *l\($0 - 1)}\n" }
        let result = Self.read("l0: &l0 {a: 1, b: 2}\n" + levels.joined())
        #expect(throws: ConfigurationError.self) { try result.get() }
    }

    @Test func `a mistake in a variable's name is told in one line, whatever characters the name has`() {
        let result = Self.read("", environment: ["LIGHTD_LIMI\r\nTS\u{1b}[31m": "1"])
        let error = #expect(throws: ConfigurationError.self) { try result.get() }
        let words = error?.description ?? ""
        #expect(words.hasPrefix("environment variable LIGHTD_LIMI  TS\\u{1b}[31m: unknown variable"), "\(words)")
    }

    private static func read(
        _ yaml: String, environment: [String: String] = [:]
    ) -> Result<Configuration, ConfigurationError> {
        Result { () throws(ConfigurationError) in
            try Configuration.read(
                yaml: yaml, file: "f.yaml", Arguments(), environment: environment,
                DefaultPaths(environment: ["HOME": "/home/x"], isRoot: false))
        }
    }
}
