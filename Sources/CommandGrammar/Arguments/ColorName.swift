import ControlProtocol

/// A colour or a white tone, in any form that ``LightColor`` reads.
public struct ColorName: Equatable, Sendable {
    /// As lightd reads it.
    public let text: String

    public init(argument: String) throws(ArgumentError) {
        do throws(LightColor.Mistake) {
            _ = try LightColor(argument)
        } catch {
            throw ArgumentError(error.description)
        }
        text = argument.lowercased()
    }
}
