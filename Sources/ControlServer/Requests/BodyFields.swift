import ControlProtocol
import FoundationEssentials

/// The fields of a small JSON object. None is ignored: a misspelt "access" must not allow everything.
struct BodyFields {
    private enum Value: Decodable {
        case text(String)
        case flag(Bool)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .flag(try container.decode(Bool.self))
            }
        }
    }

    private let values: [String: Value]
    /// What the object must look like, for errors.
    private let form: String

    /// - Parameter names: that it may have.
    /// - Throws: `invalid` if it is not an object of texts, `true` and `false`, has another name, or one twice.
    init(_ json: Data, _ names: Set<String>, form: String) throws(ErrorReply) {
        self.form = form
        guard let values = try? JSONDecoder().decode([String: Value].self, from: json),
            names.isSuperset(of: values.keys)
        else { throw Self.wrong(form) }
        self.values = values
        try refuseRepeatedName(in: json)
    }

    /// What to throw if the fields do not go together.
    var wrong: ErrorReply { Self.wrong(form) }

    /// - Returns: `nil` if the field is absent.
    func text(_ name: String) throws(ErrorReply) -> String? {
        switch values[name] {
        case nil: nil
        case let .text(text): text
        case .flag: throw wrong
        }
    }

    /// - Throws: `invalid` if the field is absent, too.
    func required(_ name: String) throws(ErrorReply) -> String {
        guard let text = try text(name) else { throw wrong }
        return text
    }

    /// - Returns: `false` if the field is absent.
    func flag(_ name: String) throws(ErrorReply) -> Bool {
        switch values[name] {
        case nil: false
        case let .flag(flag): flag
        case .text: throw wrong
        }
    }

    /// The field "access"; `nil` if it is absent.
    var access: TokenAccess? {
        get throws(ErrorReply) {
            guard let word = try text("access") else { return nil }
            guard let access = TokenAccess(rawValue: word) else { throw wrong }
            return access
        }
    }

    /// The fields ``access`` and "ends" of what makes a token or a link, for errors.
    static let roleAndEnd =
        "\"access\": " + TokenAccess.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        + ", and \"ends\": TIME"

    private static func wrong(_ form: String) -> ErrorReply { ErrorReply(.invalid, "the body must be \(form)") }
}
