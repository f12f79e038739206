/// Why a simulated bridge cannot run, for the person who started it.
public struct SimulatedBridgeError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
