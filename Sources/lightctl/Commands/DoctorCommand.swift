import ArgumentParser
import ControlProtocol

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check everything that lightd depends on, and say what to do.",
        discussion: """
            Looks at lightd and its socket, its configuration and file descriptors, this machine's clock, the network \
            and avahi-daemon, each paired bridge (address, certificate, key, firmware, clock, updates), the state \
            directory, its disk, the database and the journal. Changes nothing. If lightd cannot be reached, doctor \
            checks what it can see itself; over TCP, it only says why lightd cannot be reached.

            In a pipe: ok|warning|failure, check, bridge's name, what was found, what to do, separated by \
            tabs. With --json an array.

            Exit code 0 if all is well or there are only warnings. Otherwise that of the first failure: 2 if a bridge \
            or the socket does not let us in, 3 if lightd or a bridge cannot be reached, 6 if the configuration or \
            this machine is at fault. 1 if the report of --bundle or the checks themselves cannot be written, or if \
            lightd's answer cannot be read.

            --bundle writes one JSON file for a bug report, readable by you alone: the checks, the versions of lightd, \
            lightctl, the kernel and the distribution, the configuration in use, the lights, rooms, scenes and bridges \
            as lightd shows them, and the newest 1000 entries of the journal. It has the names of your lights, rooms, \
            scenes and users, and the ids and addresses of your bridges; it has no keys, tokens or certificates. Read \
            it before you publish it.

            Examples:
              lightctl doctor
              lightctl doctor --bundle report.json
            """
    )

    @Option(
        help: ArgumentHelp("Write a report for a bug report to a new file.", valueName: "file"), completion: .file())
    var bundle: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard bundle?.isEmpty != true else { throw ValidationError("--bundle must not be empty") }
    }

    func run() throws {
        let session = try Session(options)
        let doctor = Doctor(session)
        let (checks, diagnosis) = doctor.examine()
        if let bundle {
            let report = DoctorReport(checks: checks, configuration: diagnosis?.configuration, session)
            try report.write(to: bundle)
        }
        if session.console.json {
            try session.console.printJSON(checks)
        } else {
            try session.console.print(DoctorText.text(checks, on: session.terminal))
            if let bundle {
                try session.console.confirm("\nwritten to \(printable(bundle)); read it before you publish it")
            }
        }
        // What is wrong was printed.
        if let code = checks.lazy.compactMap(\.exitCode).first { throw ExitCode(code) }
    }
}
