import ControlProtocol
import ControlServer
import FoundationEssentials
import Glibc
import MQTT

/// How the relay is reached by lightctl, and reaches the broker.
struct SiteRelaySettings {
    /// The path of the unix socket.
    let socket: String
    let broker: MQTTSettings
    /// Whom the broker knows this client as; "anonymous" if it is nobody.
    let user: String
    /// A text that no other client has.
    let name = UUID().uuidString.lowercased()

    /// A site's answer is not longer.
    private static let longestAnswer = 64 << 20

    /// - Parameter arguments: as ``SiteRelayProtocol/verb`` has them after it.
    /// - Throws: what is wrong with the arguments or the environment.
    init(_ arguments: [String], environment: [String: String]) throws(ErrorReply) {
        let isInsecure = arguments.dropFirst().contains(SiteRelayProtocol.insecure)
        guard let path = arguments.first, arguments.count == (isInsecure ? 2 : 1) else {
            throw ErrorReply(
                .invalid, "'\(SiteRelayProtocol.verb)' takes the path of a socket",
                hint: "lightctl starts it; see 'lightctl help sites'")
        }
        socket = path
        let (user, address) = try Self.address(environment[SiteRelayProtocol.broker] ?? "")
        guard address.usesTLS || isInsecure || ControlServerSettings.TCP.isLoopback(address.host) else {
            throw ErrorReply(
                .invalid,
                "\(address.setting) is not encrypted: whoever can listen on the way reads the password and all else",
                hint: "use mqtts://; --insecure sends it all the same")
        }
        func file(_ name: String) throws(ErrorReply) -> String? {
            guard let path = environment[name], !path.isEmpty else { return nil }
            guard access(path, R_OK) == 0 else {
                throw ErrorReply(.invalid, "\(name) '\(path)' cannot be read: \(String(cString: strerror(errno)))")
            }
            return path
        }
        let tls = MQTTSettings.TLS(
            authority: try file(SiteRelayProtocol.authority), certificate: try file(SiteRelayProtocol.certificate),
            key: try file(SiteRelayProtocol.key))
        guard (tls.certificate == nil) == (tls.key == nil) else {
            throw ErrorReply(
                .invalid, "of \(SiteRelayProtocol.certificate) and \(SiteRelayProtocol.key) only one is set",
                hint: "set both, or neither")
        }
        var password = environment[SiteRelayProtocol.password].flatMap { $0.isEmpty ? nil : $0 }
        if password == nil, let path = try file(SiteRelayProtocol.passwordFile) {
            do throws(ConfigurationError) {
                password = try SecretFile(.password, path: path, credentials: nil).secret()
            } catch {
                throw ErrorReply(.invalid, "\(SiteRelayProtocol.passwordFile): \(error)")
            }
        }
        var settings = MQTTSettings(
            host: address.host, port: address.port, tls: address.usesTLS ? tls : nil,
            // A broker lets in one of each name.
            clientID: "lightctl-" + name, user: user, password: password)
        settings.longestPayload = Self.longestAnswer
        broker = settings
        self.user = user ?? "anonymous"
    }

    /// "mqtts://anna@broker.example:8883"
    private static func address(
        _ text: String
    ) throws(ErrorReply) -> (user: String?, address: Configuration.MQTT.Broker) {
        var (rest, user): (String, String?) = (text, nil)
        if let scheme = text.firstRange(of: "://"), let at = text[scheme.upperBound...].lastIndex(of: "@") {
            user = String(text[scheme.upperBound..<at])
            rest = String(text[..<scheme.upperBound]) + text[text.index(after: at)...]
        }
        // A password would be seen by everybody on the machine.
        guard user?.contains(":") != true, user?.isEmpty != true, let address = Configuration.MQTT.Broker(rest),
            // It stands in topics.
            user?.contains(where: { "/+#".contains($0) }) != true
        else {
            throw ErrorReply(
                .invalid, "the address of the broker is not one",
                hint: "write mqtts://[USER@]HOST[:PORT]; the password belongs in \(SiteRelayProtocol.password)")
        }
        return (user, address)
    }
}
