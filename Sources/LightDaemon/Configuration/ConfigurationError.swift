/// A mistake in the configuration: where it is, what is wrong and what was expected.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// "/etc/lightd/lightd.yaml:12", or "environment variable LIGHTD_SOCKET".
    public let place: String
    public let complaint: String

    public init(_ place: String, _ complaint: String) {
        self.place = place
        self.complaint = complaint
    }

    public var description: String { "\(place): \(complaint)" }
}
