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

    @Test func `every damaged setting in the environment is read, or refused with the variable's name`() async throws {
        for setting in SettingFixture.all {
            let samples = [setting.inEnvironment.text] + setting.wrong
            try await Fuzzing("environment-\(setting.path)").texts(samples, batches: 1) { text in
                let result = Self.read("", environment: [setting.variable: text])
                guard case let .failure(error) = result else { return }
                guard error.description.contains(setting.variable) || setting.path == "tcp.enabled" else {
                    throw TestError("refused with '\(error)'")
                }
            }
        }
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
