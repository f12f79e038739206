import ControlSurface
import Khipu

extension Configuration {
    /// A clock for tests of whole days: civil time begins at a moment of choice and runs faster. Time that is waited, as
    /// for a confirmation, stays as it is. `LIGHTD_TIME_SCALE` and `LIGHTD_START_TIME` ask for it (CONTRIBUTING.md).
    struct TimeLapse: Equatable, Sendable {
        var scale: Double
        /// `nil`: now.
        var start: Timestamp?

        static let variables = [scaleVariable, startVariable]
        private static let scaleVariable = "LIGHTD_TIME_SCALE"
        private static let startVariable = "LIGHTD_START_TIME"

        /// - Returns: `nil` if neither variable is set.
        static func read(_ environment: [String: String]) throws(ConfigurationError) -> Self? {
            func value<Value>(
                _ name: String, _ expected: String, _ parse: (String) -> Value?
            ) throws(ConfigurationError) -> Value? {
                guard let text = environment[name] else { return nil }
                guard let value = parse(text) else {
                    throw ConfigurationError("environment variable \(name)", "'\(text)' is not \(expected)")
                }
                return value
            }
            let scale = try value(scaleVariable, "a number from 1 to 100000") { text in
                Double(text).flatMap { (1...100_000).contains($0) ? $0 : nil }
            }
            let start = try value(startVariable, "a time like 2026-12-24T05:00:00Z") { Timestamp(iso8601: $0) }
            return scale == nil && start == nil ? nil : Self(scale: scale ?? 1, start: start)
        }
    }
}
