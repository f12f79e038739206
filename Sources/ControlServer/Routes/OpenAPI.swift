import ControlProtocol
import ControlSurface
import HTTPTypes
import Lighting

/// The API's description for programs, OpenAPI 3.1. Its paths come from the routes; commands, bodies, words and limits from
/// the types. Only the page's schemas are written by hand, and tests hold them to what is sent.
enum OpenAPI {
    static var document: String { get throws { try made.get() } }

    /// Made when it is first asked for.
    private static let made = Result {
        // The operations of each path, by method.
        let paths = Dictionary(grouping: ControlAPI.routes, by: \.path).mapValues { routes in
            Dictionary(routes.map { ($0.method.rawValue.lowercased(), $0.documentation) }) { first, _ in first }
        }
        let schemas = try bodySchemas.merging(Command.schemaComponents) { $1 }.merging(["Command": Command.schema]) {
            $1
        }
        // Without its braces.
        return text(paths: try JSON.text(paths), schemas: String(try JSON.text(schemas).dropFirst().dropLast()))
    }

    /// The words of an enumeration as a JSON array.
    static func words<Word: CaseIterable & RawRepresentable<String>>(
        _: Word.Type, orNull: Bool = false
    ) -> String {
        "[" + (Word.allCases.map { "\"\($0.rawValue)\"" } + (orNull ? ["null"] : [])).joined(separator: ", ") + "]"
    }

    private static let replace =
        #"{"type": "boolean", "default": false, "description": "Whether the session that the browser has ends."}"#

    /// - Parameters:
    ///   - paths: a JSON object.
    ///   - schemas: the members of one.
    private static func text(paths: String, schemas: String) -> String {
        #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "lightd",
            "version": "\#(Release.version)",
            "description": "Philips Hue lights at home. Served over a unix socket, and over TCP with a bearer token if that is configured. Brightness and saturation are per cent, hue is degrees, temperature is mirek, times are ISO 8601 in UTC, durations of a change are milliseconds. HEAD is answered as GET is, without the body. Where a field of a request may be null, that means the same as leaving it out; answers contain no null, but for the page's view model."
          },
          "paths": \#(paths),
          "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Over TCP only: a token of 'lightctl token create', or of the configuration. Each operation names the role that it needs; the roles, each with all that those before it allow: \#(TokenAccess.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")). A page sends it as a cookie, which /v1/session sets."}},
            "parameters": {"IfNoneMatch": {"name": "If-None-Match", "in": "header", "description": "The ETag of an earlier answer: answered with 304 while nothing has changed.", "schema": {"type": "string"}}},
            "headers": {
              "ETag": {"description": "Identifies the state that is listed.", "schema": {"type": "string"}},
              "UnreadBridges": {"description": "Only of a list that lacks what some bridges have, because lightd has not reached them since it started: their ids, separated by commas. /v1/bridges says why.", "schema": {"type": "string"}}
            },
            "responses": {
              "Lights": {"description": "Lights", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}, "\#(Routes.unreadBridgesHeader)": {"$ref": "#/components/headers/UnreadBridges"}}, "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Light"}}}}},
              "Health": {"description": "Healthy", "content": {"application/json": {"schema": {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}}}},
              "NotModified": {"description": "The client has this already."},
              \#(errorResponses)
            },
            "schemas": {
              "CurvePoint": {
                "type": "string",
                "description": "A time (06:30), a moment of the sun (sunset - 20m) or its height in degrees (sun -6), then what lights show: a brightness (40%), a white tone (2700K or 370mirek), or both. Each of the two goes either by the clock or by the sun's height.",
                "examples": ["06:30 40% 2700K", "sunset - 20m 60%", "sun -6 2200K"]
              },
              "Step": {"type": "string", "description": "A command as typed after lightctl, such as 'dim kitchen 40% --over 10m'; 'wait 5m', 'wait no motion Hall for 2m at most 1h', or 'restore @Hall'."},
              \#(pageSchemas),
              "SignIn": {
                "oneOf": [
                  {"type": "object", "required": ["token"], "additionalProperties": false, "properties": {"token": {"type": "string"}, "replace": \#(replace)}},
                  {"type": "object", "required": ["link"], "additionalProperties": false, "properties": {"link": {"type": "string"}, "replace": \#(replace)}}
                ]
              },
              "Percent": {"type": "number", "minimum": 0, "maximum": 100},
              \#(schemas)
            }
          }
        }

        """#
    }
}

/// The errors of the API, each described once.
extension OpenAPI {
    enum Errors: CaseIterable {
        case health, reading, naming, asking, commands, tokens, restoring

        /// What each kind of path may be answered with. 405 belongs to methods that a path does not have, so it stands
        /// at none.
        var statuses: [Int] {
            let always = [400, 403, 431, 500, 503]
            let withToken = always + [401, 429]
            return switch self {
            case .health: always
            case .reading: withToken
            case .naming: withToken + [404, 409]
            case .asking: withToken + [404, 409, 422, 504]
            case .commands: withToken + [404, 408, 409, 413, 422, 502, 504]
            case .tokens: withToken + [404, 408, 409, 413, 422]
            case .restoring: withToken + [408, 413]
            }
        }
    }

    /// The members of the components' `responses` for all errors.
    static var errorResponses: String {
        descriptions.map { status, description in
            let headers = headers(of: status).map { #""headers": {"\#($0)": {"schema": {"type": "string"}}}, "# } ?? ""
            return #""Error\#(status)": {"description": "\#(description)", \#(headers)"content": "#
                + ##"{"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}"##
        }.joined(separator: ",\n      ")
    }

    private static func headers(of status: Int) -> String? {
        switch status {
        case 401: "WWW-Authenticate"
        case 405: "Allow"
        case 429, 503: "Retry-After"
        default: nil
        }
    }

    private static let descriptions = [
        (400, "The request is wrong: its query, its body, or a value out of range."),
        (401, "Over TCP: no token, or one that does not exist."),
        (
            403,
            "Not allowed: a token whose role is too low, an unknown Host or Origin, tokens or backups over TCP, bridges' keys for others than root; or lightd is not paired with "
                + "the bridge, or the bridge's link button was not pressed."
        ),
        (404, "No such target, token or path."),
        (405, "The path does not take this method."),
        (408, "The body did not arrive within 10 s, or 3 s to sign in."),
        (409, "The name fits several things, or is taken; or the browser is signed in already."),
        (
            413,
            "The body is longer than \(APIRequest.largestBody >> 20) MiB, or than 4 KiB to sign in, \(Routes.longestBackup >> 20) MiB for a backup."
        ),
        (422, "The bridge refused, or the lamp is not able to do it."),
        (429, "Over TCP: too many wrong tokens came from this address."),
        (
            431,
            "The target and header fields have more than 16 KiB, one has more than 8 KiB, or they are more than 100."
        ),
        (500, "lightd made a mistake, or could not save the change."),
        (502, "Some parts of the command were done, some failed."),
        (503, "The bridge cannot be reached, or lightd is busy or stopping."),
        (504, "Sent, but not confirmed."),
    ]
}
