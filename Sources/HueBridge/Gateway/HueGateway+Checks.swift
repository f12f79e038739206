import Curl
import FoundationEssentials
import HueWire
import Khipu
public import Lighting
import ServiceDiscovery
import SwiftASN1
import X509

extension HueGateway {
    /// Checks the search by mDNS, and each of these bridges by requests of its own. A bridge that does not answer takes
    /// some seconds; all are asked at once.
    public func checks(of bridges: [Bridge]) async -> [Check] {
        let inspections = bridges.compactMap { bridge in
            connection(bridge.id).map { BridgeInspection(bridge: bridge, connection: $0) }
        }
        let found = await withTaskGroup(of: (Int, [Check]).self) { group in
            for (place, inspection) in inspections.enumerated() {
                group.addTask { (place, await inspection.checks()) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return [mdnsCheck] + found.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }

    private var mdnsCheck: Check {
        guard settings.usesMDNS else { return Check("mdns", .ok, "off (discovery.mdns)") }
        let view = finder.browser.view
        if let problem = view.problem {
            return Check(
                "mdns", .warning,
                "bridges cannot be found, or followed to another address: \(problem.problem)",
                remedy: problem.remedy.map { .other($0) })
        }
        switch view.seen.count {
        case 0: return Check("mdns", .ok, "avahi-daemon answers; no bridge announces itself")
        case 1: return Check("mdns", .ok, "avahi-daemon answers; 1 bridge announces itself")
        case let count: return Check("mdns", .ok, "avahi-daemon answers; \(count) bridges announce themselves")
        }
    }
}

/// Looks at everything that can be wrong between us and one paired bridge.
struct BridgeInspection: Sendable {
    let bridge: Bridge
    let connection: BridgeConnection

    /// More than this, and what the bridge does by the clock happens at the wrong time.
    static let toleratedClockDifference = Duration.seconds(60)
    /// How long before its end a certificate is worth a warning.
    static let certificateNotice = 30 * 86_400.0

    func checks() async -> [Check] {
        let call = connection.client.call
        let start = connection.clock.now()
        let response: HTTPResponse
        do throws(CurlError) {
            response = try await connection.client.identify()
        } catch {
            return [unreachable(error, at: call.address)]
        }
        let time = connection.clock.now() - start
        let config: PublicConfig? = response.decoded()
        guard let config, Bridge.ID(told: config.bridgeid) == bridge.id else {
            let (words, remedy): (String, Remedy) =
                response.isBusy
                ? ("it is overloaded", .other("wait a minute; if it stays so, another app may ask too much of it"))
                : ("it is another device, or not a bridge", .checkPower(bridge.id))
            return [
                check(
                    "bridge", .failure(.unreachable), "\(call.address) answers HTTP \(response.status): \(words)",
                    remedy)
            ]
        }
        return [
            check("bridge", .ok, "answers at \(call.address) in \(Int((time / .milliseconds(1)).rounded(.up))) ms"),
            certificate(response.certificate, call.trust),
            await key(),
            firmware(config, isPlain: call.isPlain),
            clock(response.head["Date"]),
            await capacity(),
            updates,
        ]
    }

    private func check(_ name: String, _ result: Check.Result, _ text: String, _ remedy: Remedy? = nil) -> Check {
        Check(name, of: bridge.name, result, text, remedy: remedy)
    }

    private func unreachable(_ error: CurlError, at address: Bridge.Address) -> Check {
        if case let .certificateRefused(words) = error {
            return check(
                "certificate", .failure(.notAllowed),
                "not the one it was paired with (\(words)); nothing is sent to it",
                .trustAgain(bridge.id))
        }
        return check(
            "bridge", .failure(.unreachable), "does not answer at \(address): \(error.failure(of: bridge.id).reason)",
            .checkPower(bridge.id))
    }

    private func certificate(_ pem: String?, _ trust: ServerTrust) -> Check {
        guard trust != .system else {
            return check("certificate", .ok, "none: this bridge has only plain HTTP, which everybody here can read")
        }
        guard let pem, let certificate = try? Certificate(pemEncoded: pem) else {
            return check("certificate", .warning, "accepted, but cannot be read")
        }
        let end = certificate.notValidAfter
        let date = end.formatted(.iso8601.year().month().day())
        guard case .roots = trust else {
            // Its dates mean nothing: only the key counts.
            return check("certificate", .ok, "its own, with the key seen when it was paired (until \(date))")
        }
        let now = Double(connection.now().milliseconds) / 1000
        guard end.timeIntervalSince1970 - now > Self.certificateNotice else {
            return check(
                "certificate", .warning, "signed by the maker, but only until \(date)",
                .other("update the bridge in the maker's app: it gets a new one"))
        }
        return check("certificate", .ok, "signed by the maker, until \(date)")
    }

    private func key() async -> Check {
        do throws(Failure) {
            _ = try await connection.client.fetch(.connectivity)
            return check("key", .ok, "accepted")
        } catch .keyRefused {
            return check("key", .failure(.notAllowed), "no longer accepted", .pair(bridge.id))
        } catch {
            return check("key", .warning, "cannot be tried: \(error.reason)", error.remedy)
        }
    }

    private func firmware(_ config: PublicConfig, isPlain: Bool) -> Check {
        let text =
            "\(config.modelid ?? bridge.model), firmware \(config.swversion ?? "unknown"), "
            + "API \(config.apiversion ?? "unknown"), used in version \(connection.client.dialect == .v2 ? 2 : 1)"
        if connection.client.dialect == .v1, config.isNewEnough, !isPlain {
            return check(
                "firmware", .warning, text + "; it has version 2 by now, with an event stream", .pair(bridge.id))
        }
        guard bridge.firmware?.update != .ready else {
            return check(
                "firmware", .warning, text + "; an update is ready", .other("install it in the maker's app"))
        }
        return check("firmware", .ok, text)
    }

    private func clock(_ date: String?) -> Check {
        guard let date, let time = Timestamp(httpDate: date) else {
            return check("clock", .ok, "the bridge does not say what time it has")
        }
        let difference = time.since(connection.now())
        let seconds = Int((abs(difference / .seconds(1))).rounded())
        // The header has whole seconds.
        guard seconds > 1 else { return check("clock", .ok, "the same as this machine's") }
        let text = "\(seconds) s \(difference < .zero ? "behind" : "ahead of") this machine's"
        guard difference > Self.toleratedClockDifference || difference < .zero - Self.toleratedClockDifference else {
            return check("clock", .ok, text)
        }
        return check(
            "clock", .warning, text,
            .other("see which one is wrong: 'timedatectl' shows this machine's time, the maker's app the bridge's zone")
        )
    }

    /// What the bridge itself says: models differ, and so does firmware.
    private func capacity() async -> Check {
        let told = await connection.client.capabilities()
        let parts = [
            ("lights", told?.lights), ("rooms and zones", told?.groups), ("scenes", told?.scenes),
        ].compactMap { name, room in room.map { (name, $0) } }
        guard !parts.isEmpty else { return check("capacity", .ok, "the bridge does not say how much it can hold") }
        let text = parts.map { "\($1.total - $1.available) of \($1.total) \($0)" }.joined(separator: ", ")
        let full = parts.filter { $1.available == 0 }.map(\.0)
        guard !full.isEmpty else { return check("capacity", .ok, text) }
        return check(
            "capacity", .warning, text + "; it takes no more \(full.joined(separator: " and no more "))",
            .other("delete what nobody uses, or pair another bridge"))
    }

    private var updates: Check {
        switch bridge.connection {
        case .connected(since: _, by: .stream): check("updates", .ok, "by its event stream")
        case let .connected(since: _, by: .polling(every: interval)):
            check("updates", .ok, "it has no event stream, and is polled every \(interval)")
        case let .lost(since: _, because: failure):
            check("updates", .warning, "not connected yet: \(failure.reason)", failure.remedy)
        }
    }
}
