import ControlProtocol

/// A colour: "#ff8800", "#f80", "ff8800" or a name.
struct ColorName: Equatable, Sendable {
    /// As lightd reads it.
    let text: String

    init(argument: String) throws(ArgumentError) {
        guard RGBColor(argument) != nil else {
            let near = closest(to: argument, in: Self.all)
            throw ArgumentError(
                near.map { "not a colour: did you mean '\($0)'? run 'lightctl help set' for all names" }
                    ?? "not a colour: use '#ff8800', or a name such as orange; run 'lightctl help set' for all names"
            )
        }
        text = argument.lowercased()
    }

    /// All colour names, sorted.
    static let all = RGBColor.names.keys.sorted()
}
