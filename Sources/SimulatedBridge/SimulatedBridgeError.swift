/// Why a simulated bridge cannot run, in words for the user.
public struct SimulatedBridgeError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
