import ControlProtocol

/// A colour that was typed: "#ff8800", "#f80", "ff8800" or a name.
struct ColorName: Equatable, Sendable {
    static let forms = "a colour such as '#ff8800', or a name such as orange"

    /// As the daemon takes it.
    let text: String

    init(argument: String) throws(ArgumentError) {
        guard RGBColor(argument) != nil else {
            let near = closest(to: argument, in: Self.all)
            throw ArgumentError(
                near.map { "did you mean '\($0)'? 'lightctl help set' lists all names" }
                    ?? "write \(Self.forms); 'lightctl help set' lists all names"
            )
        }
        text = argument.lowercased()
    }

    /// All names, in the alphabet's order.
    static let all = RGBColor.names.keys.sorted()
}
