import ArgumentParser
import CommandGrammar
import ControlProtocol
import FoundationEssentials
import Glibc

/// One command at several sites: a lightctl for each, several at a time, over one relay. What each prints comes under its
/// site's name, in the order of the names.
struct SiteRun {
    let pattern: SitePattern
    /// Without `--site`.
    let arguments: [String]
    private let broker: String?
    private let isInsecure: Bool
    private let timeout: Duration
    private let console: Console
    private let readsInput: Bool
    /// What the command reads from standard input.
    private var input: [UInt8] = []

    /// So many sites are asked at once.
    private static let width = 32

    /// What one site's lightctl has printed, and its exit status.
    struct Outcome: Sendable {
        let site: String
        var status: Int32 = 0
        var output: [UInt8] = []
        var errors: [UInt8] = []
    }

    /// `nil` if the arguments name no site, or one alone.
    ///
    /// - Parameters:
    ///   - arguments: those of lightctl, which are right in themselves.
    ///   - command: what they are.
    init?(_ arguments: [String], _ command: any ParsableCommand) throws {
        var left = arguments
        guard let named = Self.take("--site", from: &left) else { return nil }
        let pattern = try SitePattern(named)
        var others = left
        guard Self.take("--site", from: &others) == nil else {
            throw ErrorReply(
                .invalid, "--site is given twice", hint: "several sites stand in one, with commas: --site a,b")
        }
        guard pattern.only == nil else { return nil }
        let timeout = try Self.take("--timeout", from: &others).map { try TimeSpan.timeout(argument: $0).duration }
        let isQuiet = left.contains("--quiet") || left.contains("-q")
        self.init(
            pattern, left, broker: Self.take("--broker", from: &others), isInsecure: left.contains("--insecure"),
            timeout: timeout, json: left.contains("--json"), quiet: isQuiet,
            readsInput: left.contains("-") || command is SendCommand)
    }

    init(_ pattern: SitePattern, _ arguments: [String], _ options: GlobalOptions) {
        self.init(
            pattern,
            arguments + (options.json ? ["--json"] : []) + (options.quiet ? ["--quiet"] : [])
                + (options.timeout.map { ["--timeout", "\($0.duration / .seconds(1))"] } ?? []),
            broker: options.broker, isInsecure: options.insecure, timeout: options.timeout?.duration,
            json: options.json, quiet: options.quiet, readsInput: arguments.contains("-"))
    }

    private init(
        _ pattern: SitePattern, _ arguments: [String], broker: String?, isInsecure: Bool, timeout: Duration?,
        json: Bool, quiet: Bool, readsInput: Bool
    ) {
        self.readsInput = readsInput
        (self.pattern, self.arguments, self.broker, self.isInsecure) = (pattern, arguments, broker, isInsecure)
        self.timeout = timeout ?? Session.defaultTimeout
        console = Console(
            terminal: .behind(1, environment: ProcessInfo.processInfo.environment), quiet: quiet, json: json)
    }

    /// Takes an option with its value out of arguments; `nil` if it is not there.
    private static func take(_ name: String, from arguments: inout [String]) -> String? {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        for place in arguments.indices[..<end] {
            if arguments[place] == name, place + 1 < end {
                defer { arguments.removeSubrange(place...place + 1) }
                return arguments[place + 1]
            }
            if arguments[place].hasPrefix("\(name)=") {
                return String(arguments.remove(at: place).dropFirst(name.count + 1))
            }
        }
        return nil
    }

    /// - Throws: once everything is printed, if a site has failed.
    func run() throws {
        var run = self
        if readsInput { run.input = Array(try InputFile.standardInput.data()) }
        let environment = ProcessInfo.processInfo.environment
        let relay = try RelayProcess(
            broker: broker, insecure: isInsecure, within: timeout, environment: environment)
        let sites = try run.sites(relay)
        setenv(RelayProcess.variable, relay.socket, 1)
        if console.terminal.isTerminal, !console.json {
            setenv(Terminal.sizeVariable, "\(console.terminal.columns - 2)x\(console.terminal.rows)", 1)
        }
        var statuses: [Int32] = []
        var gone: (any Error)?
        withExtendedLifetime(relay) {
            run.each(sites) { outcome in
                statuses.append(outcome.status)
                // Who reads no more has still asked for it at all sites.
                do { if gone == nil { try show(outcome) } } catch { gone = error }
            }
        }
        let failed = statuses.filter { $0 != 0 }
        guard let first = failed.first else {
            if let gone { throw gone }
            return
        }
        if console.terminal.isTerminal, sites.count > 1 {
            console.note("\(failed.count) of \(counted(sites.count, "site")) failed")
        }
        let alike = failed.count == statuses.count && failed.allSatisfy { $0 == first }
        throw ExitCode(alike ? first : ExitStatus.partly.rawValue)
    }

    private func sites(_ relay: RelayProcess) throws -> [SiteBody] {
        let all = try DaemonClient(.site("", relay)).get([SiteBody].self, SiteRelayProtocol.sites, within: timeout)
        let sites = all.filter(pattern.matches)
        guard !sites.isEmpty else {
            throw ErrorReply(
                .noSuchTarget, "no site on the broker matches '\(pattern.text)'",
                hint: "'lightctl sites' lists the \(counted(all.count, "site")) that it knows")
        }
        return sites
    }

    // MARK: - The processes

    fileprivate final class Running {
        let place: Int
        let child: ChildProcess
        var outcome: Outcome
        var unsent: ArraySlice<UInt8>
        var (hasOutput, hasErrors, hasEndedInput) = (true, true, false)

        init(_ place: Int, _ site: String, _ child: ChildProcess, input: [UInt8]) {
            (self.place, self.child, unsent) = (place, child, input[...])
            outcome = Outcome(site: site)
        }
    }

    /// - Parameter done: gets the outcomes in the order of the sites, each as soon as it can.
    private func each(_ sites: [SiteBody], _ done: (Outcome) -> Void) {
        var waiting = sites.indices[...]
        var running: [Running] = []
        var outcomes: [Int: Outcome] = [:]
        var next = 0
        while next < sites.count {
            while running.count < Self.width, let place = waiting.popFirst() {
                let site = sites[place].site
                do throws(SystemError) {
                    let child = try ChildProcess(["/proc/self/exe"] + arguments(at: site))
                    running.append(Running(place, site, child, input: input))
                } catch {
                    var outcome = Outcome(site: site, status: ExitStatus.refused.rawValue)
                    outcome.errors = Array("lightctl: cannot start another lightctl: \(error)\n".utf8)
                    outcomes[place] = outcome
                }
            }
            while let outcome = outcomes.removeValue(forKey: next) {
                done(outcome)
                next += 1
            }
            guard !running.isEmpty else { continue }
            Poll.wait(for: running.flatMap(\.waits))
            running = running.filter { one in
                one.advance()
                guard !one.hasOutput, !one.hasErrors else { return true }
                one.outcome.status = one.child.end(within: .seconds(5))
                outcomes[one.place] = one.outcome
                return false
            }
        }
    }

    /// A verb that scripts call often is read soonest if it comes first (``LightCtl/parsed(_:)``).
    private func arguments(at site: String) -> [String] {
        let isFrequent = arguments.first.map { LightCtl.frequentCommand($0) != nil } ?? false
        return isFrequent && !arguments.contains("--") ? arguments + ["--site", site] : ["--site", site] + arguments
    }

    // MARK: - What is shown

    private func show(_ outcome: Outcome) throws {
        let site = outcome.site
        if console.json {
            let line = json(outcome)
            // Quiet or not, an error is told.
            return console.quiet && outcome.status != 0 ? Console.printError(line) : try console.print(line)
        }
        let lines = Self.lines(outcome.output)
        if console.terminal.isTerminal {
            let name = StyledText(site, .strong).painted(console.terminal.colours)
            if lines.isEmpty {
                if outcome.status == 0 { try console.print("\(name)  done") }
            } else {
                try console.print(name)
                for line in lines { try console.print("  \(line)") }
            }
        } else {
            for line in lines { try console.print("\(site)\t\(line)") }
        }
        for line in Self.lines(outcome.errors) {
            Console.printError(
                "\(site): \(line.hasPrefix("lightctl: ") ? String(line.dropFirst("lightctl: ".count)) : line)")
        }
    }

    /// `{"site":"hotel-1","exit":0,"result":…}`, with "error" if it failed: what its lightctl has printed as JSON.
    private func json(_ outcome: Outcome) -> String {
        let values = Self.lines(outcome.output)
        let result = values.count == 1 ? values[0] : values.isEmpty ? nil : "[\(values.joined(separator: ","))]"
        let error = Self.lines(outcome.errors).last { $0.hasPrefix("{\"error\":") }
        return "{\"site\":\"\(outcome.site)\",\"exit\":\(outcome.status)"
            + (result.map { ",\"result\":\($0)" } ?? "")
            + (error.map { ",\($0.dropFirst().dropLast())" } ?? "") + "}"
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        // Not of characters: "\r\n" is one of them.
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension SiteRun.Running {
    /// What to wait for.
    fileprivate var waits: [pollfd] {
        var waits: [pollfd] = []
        if hasOutput || !unsent.isEmpty {
            waits.append(
                pollfd(
                    fd: child.stdio, events: Int16((hasOutput ? POLLIN : 0) | (unsent.isEmpty ? 0 : POLLOUT)),
                    revents: 0))
        }
        if hasErrors { waits.append(pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0)) }
        return waits
    }

    /// Writes and reads what is possible now.
    fileprivate func advance() {
        while !unsent.isEmpty {
            let sent = unsent.withUnsafeBytes { send(child.stdio, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent > 0 {
                unsent = unsent.dropFirst(sent)
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                unsent = []
            }
        }
        // What it reads ends here.
        if unsent.isEmpty, !hasEndedInput {
            hasEndedInput = true
            shutdown(child.stdio, Int32(SHUT_WR))
        }
        if hasOutput { hasOutput = Self.read(child.stdio, into: &outcome.output) }
        if hasErrors { hasErrors = Self.read(child.errors, into: &outcome.errors) }
    }

    /// - Returns: `false` at the end.
    private static func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 {
                return false
            } else if errno == EAGAIN {
                return true
            } else if errno != EINTR {
                return false
            }
        }
    }
}
