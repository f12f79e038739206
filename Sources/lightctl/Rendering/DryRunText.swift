import ControlProtocol

/// The output of a dry run.
enum DryRunText {
    /// One line for each request: the bridge's id, method, path, body, and why it would be held.
    static func lines(_ requests: [PlannedRequestBody], on terminal: Terminal) -> String {
        requests.map { request in
            let held = request.held.map { terminal.isTerminal ? "(\($0))" : $0 }
            return [request.bridge, request.method, request.path, request.body, held].compactMap { $0 }
                .map(printable).joined(separator: terminal.isTerminal ? " " : "\t")
        }.joined(separator: "\n")
    }

    /// The error that names the parts that would fail; `nil` if there are none.
    static func error(_ failing: [ErrorReply.Part]) -> ErrorReply? {
        failing.isEmpty ? nil : ErrorReply(.partly, "\(counted(failing.count, "part")) would fail", parts: failing)
    }
}
