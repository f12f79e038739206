import ControlProtocol

/// A colour or a white tone, in any form that ``LightColor`` reads.
struct ColorName: Equatable, Sendable {
    /// As lightd reads it.
    let text: String

    init(argument: String) throws(ArgumentError) {
        do throws(LightColor.Mistake) {
            _ = try LightColor(argument)
        } catch {
            throw ArgumentError(error.description)
        }
        text = argument.lowercased()
    }
}
