public import ControlProtocol
public import MQTT

/// How the home is shown on a broker.
public struct MQTTSurfaceSettings: Equatable, Sendable {
    public var broker: MQTTSettings
    /// The home's name among those on the broker: small letters, digits and "-".
    public var site: String
    public var tags: [String]
    /// What whoever may publish on the broker may do.
    public var allows: TokenAccess
    public var discovery: DiscoverySettings

    public struct DiscoverySettings: Equatable, Sendable {
        public var form: Form
        public var prefix: String
        public var include: [Kind]
        public var plug: Plug

        public init(
            form: Form = .device, prefix: String = "homeassistant", include: [Kind] = Kind.allCases, plug: Plug = .light
        ) {
            self.form = form
            self.prefix = prefix
            self.include = include
            self.plug = plug
        }

        /// In which of Home Assistant's forms things are described.
        public enum Form: String, CaseIterable, Sendable {
            /// One message for each device.
            case device
            /// One for each entity, for programs that read no other.
            case component
            case off
        }

        public enum Kind: String, CaseIterable, Sendable {
            case lights, rooms, scenes, sensors, buttons, automations, bridges
        }

        /// What a smart plug is.
        public enum Plug: String, CaseIterable, Sendable {
            /// A room's light can have it as a member.
            case light
            case `switch`
        }
    }

    /// - Parameter broker: its client id and its will are set here.
    public init(
        _ broker: MQTTSettings, site: String = "home", tags: [String] = [], allows: TokenAccess = .control,
        discovery: DiscoverySettings = DiscoverySettings()
    ) {
        self.broker = broker
        self.site = site
        self.tags = tags
        self.allows = allows
        self.discovery = discovery
        let status = topics.status
        self.broker.clientID = "lightd-\(site)"
        self.broker.longestPayload = RelayedRequest.longestBody
        self.broker.will = MQTTMessage(status, Publisher.availability(false), isRetained: true)
    }

    var topics: Topics { Topics(site: site, discoveryPrefix: discovery.prefix) }
    var publisher: Publisher {
        Publisher(
            topics: topics, discovery: discovery.form, include: Set(discovery.include), plug: discovery.plug,
            allows: allows)
    }
}
