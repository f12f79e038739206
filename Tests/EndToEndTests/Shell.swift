import ControlProtocol
import Foundation
import TestSupport

/// A person's shell, in a directory, with `$lightctl` for a lightd.
struct Shell: Sendable {
    let path: String
    let socket: String

    func run(_ script: String) async throws -> Program.End {
        let program = try Program(
            .at("/bin/sh"), ["-c", "cd \(path) && \(script)"],
            environment: ["lightctl": Program.path(of: .lightctl), "LIGHTCTL_SOCKET": socket])
        defer { program.signal(SIGKILL) }
        return try await program.end()
    }

    func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path).appending(path: file))
    }

    /// As lightctl lists them.
    var lights: [LightBody] {
        get async throws {
            try JSONDecoder().decode([LightBody].self, from: Data(try await run("$lightctl list --json").output.utf8))
        }
    }
}
