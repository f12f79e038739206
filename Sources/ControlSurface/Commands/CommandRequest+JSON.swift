public import ControlProtocol
public import FoundationEssentials

extension CommandRequest {
    /// Reads a command as a surface receives it.
    ///
    /// - Throws: `invalid`, which says what is wrong with the text.
    public init(json: Data) throws(ErrorReply) {
        do {
            self = try JSONDecoder().decode(CommandRequest.self, from: json)
        } catch {
            throw ErrorReply(
                .invalid,
                (error as? DecodingError)?.words(in: json, called: "the body") ?? "the body cannot be read: \(error)",
                hint: #"a command is JSON, such as {"command":"turn","to":"on","target":"@kitchen"}; see /openapi.json"#
            )
        }
        try refuseRepeatedName(in: json)
    }
}
