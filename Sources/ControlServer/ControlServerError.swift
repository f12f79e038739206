/// Why the control API cannot listen, for the person who started the daemon.
public struct ControlServerError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
