import ArgumentParser
import ControlProtocol
import FoundationEssentials

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list and revoke tokens for programs that use lightd over TCP.",
        discussion: """
            A token lets a program on another machine, or behind a reverse proxy, use lightd ('tcp' in lightd.yaml). \
            It is shown once, when it is made.

            Each has a role, with all that the roles before it allow:
              look     see lights, rooms, sensors and automations as they are now
              control  use lights, scenes and timers; run, stop, enable and disable automations; read the log
              full     arrange the home: bridges, rooms, automations, the dashboard; let pages in; read the access log

            In a pipe, 'list' prints: name, look|read_only|control|full, created, last used, command|link|sign_in, the \
            token that made its link or signed it in, when it ends, separated by tabs; - if absent. Tokens made by a \
            link ('lightctl open') or by signing in with a token belong to pages. They end after 90 days without use.

            Examples:
              lightctl token create dashboard --role look
              lightctl token create guest --role control --for 3d
              lightctl token list
              lightctl token revoke dashboard
            """,
        subcommands: [CreateTokenCommand.self, ListTokensCommand.self, RevokeTokenCommand.self],
        defaultSubcommand: ListTokensCommand.self
    )

    @OptionGroup var options: GlobalOptions

    struct CreateTokenCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Make a token, and print it once.",
            discussion: """
                Only the token is printed to standard output, so that a script can pass it on. --output keeps it in a file \
                for --token-file, which only its owner can read (mode 0600):
                  lightctl token create laptop --output token

                If it cannot be printed or written, it is revoked again, and the exit code is 1.
                """
        )

        @Argument(help: "A name for it: the device or program that will use it.") var name: String
        @OptionGroup var role: RoleOptions
        @Option(
            help: ArgumentHelp(
                "Write the token to this file, which only its owner can read, in place of printing it.",
                valueName: "file"),
            completion: .file())
        var output: OutputFile?
        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = try Session(options)
            // Another program may live by the token in it.
            if let output, output.hasContent {
                throw ErrorReply(
                    .refused, "'\(printable(output.path))' is not replaced: there is something in it",
                    hint: "name another file, or remove this one")
            }
            let made = try session.client.create(
                TokenRequest(name: name, access: role.access ?? .full, ends: role.end(.local())),
                within: session.timeout ?? Session.defaultTimeout)
            do {
                // With --quiet too: nothing can show it again.
                if let output, !output.isStandardOutput {
                    try output.replace(by: Data("\(made.token)\n".utf8))
                } else {
                    try Console.write((options.json ? Console.json(made) : made.token) + "\n", to: 1)
                }
            } catch {
                throw takeBack(session, because: error)
            }
            guard !options.json else { return }
            session.console.note(
                "'\(printable(name))' \(made.access.words)"
                    + (made.ends.map { ", until \(WallClock.local().when($0))" } ?? "")
                    + "; this token is not shown again. Send it as 'Authorization: Bearer TOKEN'.")
            if let warning = made.warning { session.console.note("warning: \(printable(warning))") }
        }

        /// Revokes the token that could not be printed: nobody can use it, and its name is taken.
        ///
        /// - Returns: the error to print.
        private func takeBack(_ session: Session, because reason: any Error) -> ErrorReply {
            let reply = reason as? ErrorReply
            let words = reply?.error.message ?? "cannot write the output: its reader has gone"
            do {
                _ = try session.client.revoke(token: name, within: session.timeout ?? Session.defaultTimeout)
                return ErrorReply(.internalError, "\(words); the token was revoked again")
            } catch {
                let why = (error as? ErrorReply)?.error.message ?? "\(error)"
                return ErrorReply(
                    .internalError, "\(words); the token exists, and cannot be revoked: \(why)",
                    hint: "run 'lightctl token revoke NAME' when lightd answers again")
            }
        }
    }

    struct ListTokensCommand: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the tokens.")
        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = try Session(options)
            try session.show(Routes.tokens) { Lists.tokens($0, on: session.terminal, .local()) }
        }
    }

    struct RevokeTokenCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a token: it no longer works.",
            discussion: """
                Tokens that pages have got through it end with it.

                Example:
                  lightctl token revoke dashboard
                """
        )

        @Argument(help: ArgumentHelp("The token's name.", valueName: "token")) var name: String
        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = try Session(options)
            let revoked = try session.client.revoke(
                token: name, within: session.timeout ?? Session.defaultTimeout)
            if session.console.json {
                try session.console.printJSON(revoked)
            } else {
                let others = (revoked.revokedWithIt ?? []).map { printable($0) }.joined(separator: ", ")
                try session.console.confirm(
                    "\(printable(name)): revoked" + (others.isEmpty ? "" : ", and what it had signed in: \(others)"))
            }
        }
    }
}
