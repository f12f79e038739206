import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import lightctl

@Suite struct DoctorTextTests {
    private let checks = [
        CheckBody("lightd", .ok, "answers"),
        CheckBody("clock", of: "Flat", .warning, "300 s behind", remedy: "set it"),
        CheckBody("key", of: "Flat", .failure, "no longer accepted", remedy: "pair", exitStatus: .notAllowed),
    ]

    @Test func `on a terminal each check has a mark, and what is wrong its remedy below`() {
        let terminal = Terminal(isTerminal: true, colours: .none, columns: 80, unicode: true)
        #expect(
            DoctorText.text(checks, on: terminal) == """
                ✓ lightd       answers
                ! Flat: clock  300 s behind
                  → set it
                ✗ Flat: key    no longer accepted
                  → pair
                """)
        let old = Terminal(isTerminal: true, colours: .none, columns: 80, unicode: false)
        #expect(DoctorText.text(checks, on: old).unicodeScalars.allSatisfy { $0.isASCII })
        let colours = Terminal(isTerminal: true, colours: .sixteen, columns: 80, unicode: true)
        #expect(DoctorText.text(checks, on: colours).contains("\u{1B}[32m✓\u{1B}[0m lightd"))
    }

    @Test func `in a pipe each check is one line of plain words`() {
        #expect(
            DoctorText.text(checks, on: .pipe) == """
                ok\tlightd\t-\tanswers\t-
                warning\tclock\tFlat\t300 s behind\tset it
                failure\tkey\tFlat\tno longer accepted\tpair
                """)
    }

    @Test func `another version of lightd is a warning`() {
        #expect(Doctor.check(version: Release.version).result == .ok)
        #expect(Doctor.check(version: "0.0.1").result == .warning)
    }

    @Test func `avahi-daemon runs if the process of its file is one`() throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        #expect(Machine.avahi(root: place.path).result == .warning)
        for directory in ["run/avahi-daemon", "proc/71"] {
            try FileManager.default.createDirectory(
                atPath: "\(place.path)/\(directory)", withIntermediateDirectories: true)
        }
        try place.write("run/avahi-daemon/pid", "71\n")
        try place.write("proc/71/comm", "bash\n")
        #expect(Machine.avahi(root: place.path).result == .warning, "its number was taken by another process")
        try place.write("proc/71/comm", "avahi-daemon\n")
        #expect(Machine.avahi(root: place.path).result == .ok)
    }

    @Test func `an interface counts if it is up, has multicast and is not the loopback`() throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        func check(_ flags: [String: String]) throws -> CheckBody {
            for (name, value) in flags {
                let directory = "sys/class/net/\(name)"
                try FileManager.default.createDirectory(
                    atPath: "\(place.path)/\(directory)", withIntermediateDirectories: true)
                try place.write("\(directory)/flags", "\(value)\n")
            }
            return Machine.network(root: place.path)
        }
        #expect(try check([:]).result == .warning)
        #expect(try check(["lo": "0x1009", "eth0": "0x1002", "tun0": "0x1"]).result == .warning)
        #expect(try check(["wlan0": "0x1003"]) == CheckBody("network", .ok, "multicast on wlan0"))
    }
}
