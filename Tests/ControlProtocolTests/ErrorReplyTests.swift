import ControlProtocol
import Foundation
import Testing

@Suite struct ErrorReplyTests {
    // What scripts rely on: code, HTTP status, exit code.
    static let table: [(ErrorCode, Int, Int32)] = [
        (.refused, 422, 1), (.cannot, 422, 1), (.notSaved, 500, 1), (.internalError, 500, 1), (.notPaired, 403, 2),
        (.keyRefused, 403, 2), (.buttonNotPressed, 403, 2), (.certificateRefused, 403, 2), (.notAllowed, 403, 2),
        (.bridgeUnreachable, 503, 3), (.noBridgeFound, 503, 3), (.daemonUnreachable, 503, 3), (.daemonStopping, 503, 3),
        (.noSuchTarget, 404, 4), (.ambiguousTarget, 409, 4), (.whichBridge, 409, 4), (.unconfirmed, 504, 5),
        (.partly, 502, 7), (.changedSince, 409, 7), (.invalid, 400, 64), (.noSuchPath, 404, 64),
        (.nameTaken, 409, 1), (.signedIn, 409, 1), (.tooManyAttempts, 429, 2), (.wrongFile, 400, 6),
    ]

    @Test func `every code has its status and its exit code`() {
        #expect(Self.table.map(\.0.rawValue).sorted() == ErrorCode.allCases.map(\.rawValue).sorted())
        for (code, status, exit) in Self.table {
            #expect(code.status == status && code.exitCode.rawValue == exit, "\(code)")
        }
    }

    @Test func `every exit code but success belongs to an error`() {
        let met = Set(ErrorCode.allCases.map(\.exitCode))
        #expect(met == Set(ExitStatus.allCases).subtracting([.done]))
    }

    @Test func `codes are lower case with underscores`() {
        for code in ErrorCode.allCases { #expect(code.rawValue.allSatisfy { $0.isLowercase || $0 == "_" }) }
    }

    @Test func `an error is one object without its absent fields`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let small = ErrorReply(.partly, "m")
        #expect(
            String(decoding: try encoder.encode(small), as: UTF8.self) == #"{"error":{"code":"partly","message":"m"}}"#)
        let full = ErrorReply(
            .partly, "m", hint: "h", candidates: ["c"], parts: [.init(target: "t", code: .refused, message: "n")])
        #expect(try JSONDecoder().decode(ErrorReply.self, from: encoder.encode(full)) == full)
    }
}
