import ControlProtocol
import FoundationEssentials

/// The token that lightd asks for over TCP. It never stands in an argument, which everybody on the machine can read.
struct AccessToken: Equatable, Sendable {
    let text: String
    /// Where it comes from, for errors: "LIGHTCTL_TOKEN", "'/home/me/token'".
    let source: String

    static let variable = "LIGHTCTL_TOKEN"
    static let fileVariable = "LIGHTCTL_TOKEN_FILE"

    /// - Parameter text: as it stands there; space around it is ignored.
    init(_ text: String, from source: String) throws(ErrorReply) {
        let words = text.split(whereSeparator: \.isWhitespace)
        // Visible ASCII: anything else would be more than the value of a field of HTTP.
        guard words.count == 1, words[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ErrorReply(
                .invalid, words.isEmpty ? "\(source) has no token" : "\(source) has something other than one token",
                hint: Self.hint)
        }
        (self.text, self.source) = (String(words[0]), source)
    }

    /// The token of the option, else of the environment.
    ///
    /// - Returns: `nil` if none is given.
    static func given(file: String?, environment: [String: String]) throws(ErrorReply) -> AccessToken? {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if file == nil, let text = variable(Self.variable) { return try AccessToken(text, from: Self.variable) }
        guard let file = (file ?? variable(fileVariable)).flatMap(InputFile.init(argument:)) else { return nil }
        return try AccessToken(String(decoding: try file.secret(), as: UTF8.self), from: file.name)
    }

    static let hint =
        "'lightctl token create NAME' on lightd's machine makes a token: put it in \(variable), "
        + "or in a file for --token-file"
}
