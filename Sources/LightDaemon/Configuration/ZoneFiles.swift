import FoundationEssentials
import Lighting

/// The system's time zones: the files of tzdata, and which of them is the machine's own.
struct ZoneFiles {
    /// `$TZ`, which names the zone for one program; `nil` if it is not set.
    var variable: String?
    var directory = "/usr/share/zoneinfo"
    /// A link to one of them, or a copy. Without it, the machine is in UTC (localtime(5)).
    var local = "/etc/localtime"

    static let expectation = "a time zone, like Europe/Berlin"

    /// Whether it may be the name of a zone, and is one as far as can be seen: without tzdata, every name may be.
    func mayExist(_ name: String) -> Bool {
        guard Self.isName(name) else { return false }
        return name == "UTC" || !exists(directory) || isFile("\(directory)/\(name)")
    }

    /// - Throws: if there is no such zone, or no tzdata.
    func zone(named name: String) throws(ConfigurationError) -> CivilZone {
        // Always known, also on a machine without tzdata.
        if ["UTC", "Etc/UTC"].contains(name) { return .utc }
        guard Self.isName(name) else { throw ConfigurationError("time zone", "'\(name)' is not \(Self.expectation)") }
        return try read("\(directory)/\(name)", name)
    }

    /// The zone of the machine, or that of `$TZ`.
    func machineZone() throws(ConfigurationError) -> CivilZone {
        if let variable {
            // A colon says that it is a file, as does a slash at the beginning.
            let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
            if name.isEmpty { return .utc }
            if name.hasPrefix("/") { return try read(name, zoneName(of: name)) }
            if !isFile("\(directory)/\(name)"), let zone = CivilZone(rule: name) { return zone }
            return try zone(named: name)
        }
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: local) else {
            return exists(local) ? try read(local, "local time") : .utc
        }
        let name = zoneName(of: target)
        return ["UTC", "Etc/UTC"].contains(name) ? .utc : try read(local, name)
    }

    private func read(_ path: String, _ name: String) throws(ConfigurationError) -> CivilZone {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch {
            let reason = Configuration.reason(error, path)
            guard exists(directory) else {
                throw ConfigurationError(
                    "time zone", "'\(name)' cannot be read: \(directory) does not exist; install the package tzdata")
            }
            throw ConfigurationError(
                "time zone", "'\(name)' cannot be read from \(path): \(reason); 'timedatectl list-timezones' lists all")
        }
        do {
            return try CivilZone(name: name, tzif: Array(bytes))
        } catch {
            throw ConfigurationError("time zone", "\(path) is damaged: \(error); install the package tzdata again")
        }
    }

    /// "/usr/share/zoneinfo/Europe/Berlin" and "../usr/share/zoneinfo/Europe/Berlin" are Europe/Berlin.
    private func zoneName(of path: String) -> String {
        guard let range = path.firstRange(of: "zoneinfo/") else { return path }
        return String(path[range.upperBound...])
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func isFile(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory
    }

    /// Nothing that would lead out of the directory.
    private static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-+".contains($0)) }
        }
    }
}
