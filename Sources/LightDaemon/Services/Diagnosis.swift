import FoundationEssentials
import Khipu
import Lighting

/// What `lightctl doctor` asks of the daemon: what this process sees of itself and its machine, then what each part
/// knows.
struct Diagnosis: Sendable {
    let state: Live<Reloader.State>
    /// Reads the configuration as a reload does; `nil` if there is no reload.
    let read: (@Sendable () throws(ConfigurationError) -> Configuration)?
    let descriptors: Descriptors
    let clock: Clock
    /// The gateway's checks of the search by mDNS and of these bridges.
    let bridges: @Sendable ([Bridge]) async -> [Check]
    /// The database's checks.
    let storage: @Sendable () async -> [Check]
    /// The check of the broker; `nil` if none is named.
    let broker: @Sendable () -> Check?

    func checks(of paired: [Bridge]) async -> [Check] {
        var checks = [
            state.value.check(reading: read), descriptors.check, state.value.homeTime.check(clock.now()),
            NetworkInterface.check(NetworkInterface.all),
        ]
        if paired.isEmpty { checks.append(Check("bridges", .warning, "none is paired", remedy: .pair(nil))) }
        return await checks + bridges(paired) + storage() + [broker()].compactMap(\.self)
    }
}

extension Reloader.State {
    /// - Parameter reread: reads the configuration as a reload does.
    func check(reading reread: (() throws(ConfigurationError) -> Configuration)?) -> Check {
        do throws(ConfigurationError) {
            try configuration.checkFiles()
        } catch {
            return Check("configuration", .failure(.badConfiguration), "\(error)")
        }
        guard let file = configuration.file else { return checkWithoutFile(reading: reread) }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)  // `nil`: it was removed
        guard let changed = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970, changed <= read else {
            return check(changed: file, reading: reread)
        }
        guard pending.isEmpty else {
            let keys = pending.map(\.description).joined(separator: ", ")
            return Check(
                "configuration", .warning, "not in use yet: \(keys)",
                remedy: .other("'systemctl restart lightd' uses it"))
        }
        return Check("configuration", .ok, file)
    }

    /// lightd has found no file; there may be one since.
    private func checkWithoutFile(
        reading reread: (() throws(ConfigurationError) -> Configuration)?
    ) -> Check {
        do throws(ConfigurationError) {
            if let file = try reread?().file { return check(changed: file, reading: reread) }
        } catch {
            return check(changed: "the configuration", reading: reread)
        }
        return Check("configuration", .ok, "no file: defaults, environment and arguments")
    }

    /// What a reload would say, and the next start.
    private func check(
        changed file: String, reading reread: (() throws(ConfigurationError) -> Configuration)?
    ) -> Check {
        let text = "\(file) was made, changed or removed since lightd read it"
        do throws(ConfigurationError) {
            try reread?().checkFiles()
        } catch {
            return Check(
                "configuration", .failure(.badConfiguration),
                "\(text), and is wrong: \(error); lightd goes on with what it has read, but would not start with it",
                remedy: .other(
                    "mend it until 'lightd --check-config' finds nothing, then 'systemctl reload lightd' uses it"))
        }
        return Check(
            "configuration", .warning, text, remedy: .other("'systemctl reload lightd' uses it"))
    }
}

extension Descriptors {
    /// The descriptors that are open now. Looking takes one.
    private static var open: Int? { try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1 }

    var check: Check { check(open: Self.open) }

    /// - Parameter open: how many are open; `nil` if not even one is left to find out.
    func check(open: Int?) -> Check {
        let remedy = Remedy.other("raise LimitNOFILE with 'systemctl edit lightd', and restart lightd")
        guard let open, open < limit / 20 * 19 else {
            return Check(
                "descriptors", .failure(.badConfiguration), "\(open ?? limit) of \(limit) file descriptors are in use",
                remedy: remedy)
        }
        let text = "\(open) of \(limit) in use"
        return open < limit / 5 * 4
            ? Check("descriptors", .ok, text) : Check("descriptors", .warning, text, remedy: remedy)
    }
}
