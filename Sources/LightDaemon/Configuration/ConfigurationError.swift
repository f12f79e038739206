import ControlProtocol

/// A mistake in the configuration: where it is, what is wrong and what was expected.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// "/etc/lightd/lightd.yaml:12", or "environment variable LIGHTD_SOCKET".
    public let location: String
    public let message: String

    public init(_ location: String, _ message: String) {
        self.location = location
        self.message = message
    }

    /// One line without control characters, whatever the file and the environment contain.
    public var description: String { PrintableText.line("\(location): \(message)") }
}
