import FoundationEssentials
import Khipu
import Lighting

/// What `lightctl doctor` asks of the daemon: what this process sees of itself and its machine, then what each part
/// knows.
struct Diagnosis: Sendable {
    let state: Live<Reloader.State>
    let descriptors: Descriptors
    /// The gateway's checks of the search by mDNS and of these bridges.
    let bridges: @Sendable ([Bridge]) async -> [Check]
    /// The database's checks.
    let storage: @Sendable () async -> [Check]

    func checks(of paired: [Bridge]) async -> [Check] {
        var checks = [
            state.value.check, descriptors.check, NetworkInterface.check(NetworkInterface.all),
        ]
        if paired.isEmpty { checks.append(Check("bridges", .warning, "none is paired", remedy: .pair(nil))) }
        return await checks + bridges(paired) + storage()
    }
}

extension Reloader.State {
    var check: Check {
        do throws(ConfigurationError) {
            try configuration.checkFiles()
        } catch {
            return Check("configuration", .failure(.badConfiguration), "\(error)")
        }
        guard let file = configuration.file else {
            return Check("configuration", .ok, "no file: defaults, environment and arguments")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)  // `nil`: it was removed
        guard let changed = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970, changed <= read else {
            return Check(
                "configuration", .warning, "\(file) was changed or removed since lightd read it",
                remedy: .other("'lightd --check-config' checks it, 'systemctl reload lightd' uses it"))
        }
        guard pending.isEmpty else {
            let keys = pending.map(\.description).joined(separator: ", ")
            return Check(
                "configuration", .warning, "not in use yet: \(keys)",
                remedy: .other("'systemctl restart lightd' uses it"))
        }
        return Check("configuration", .ok, file)
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
