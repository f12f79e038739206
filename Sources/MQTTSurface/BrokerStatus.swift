public import ControlProtocol
import ControlSurface
import Khipu
public import Lighting
import MQTT
import Synchronization

/// How it stands with the broker, readable from outside.
public final class BrokerStatus: Sendable {
    enum State: Equatable {
        case trying
        /// `trouble`: what the broker does not do.
        case connected(since: Timestamp, topics: Int, trouble: String?)
        case lost(MQTTConnection.Loss, since: Timestamp)
    }

    /// `nil` if no broker is named.
    private let current = Mutex<(address: String, state: State)?>(nil)
    private let connection = Mutex<MQTTConnection?>(nil)

    public init() {}

    func set(_ state: State, of address: String?) {
        current.withLock { $0 = address.map { ($0, state) } }
    }

    /// - Parameter connection: whose messages wait; `nil` if there is none.
    func set(_ connection: MQTTConnection?) { self.connection.withLock { $0 = connection } }

    /// How many messages wait to be sent to the broker; `nil` if no broker is named.
    public var waiting: Int? { connection.withLock(\.self)?.waiting }

    /// What `lightctl status` says of it; `nil` if no broker is named.
    public var body: StatusBody.Broker? {
        current.withLock { $0 }.map { address, state in
            switch state {
            case .trying: StatusBody.Broker(address: address, connected: false)
            case let .connected(since: time, topics: _, trouble: _):
                StatusBody.Broker(address: address, connected: true, since: time.iso8601)
            case let .lost(loss, since: time):
                StatusBody.Broker(address: address, connected: false, since: time.iso8601, reason: loss.description)
            }
        }
    }

    /// What `lightctl doctor` says of it; `nil` if no broker is named.
    public var check: Check? {
        guard let (address, state) = current.withLock({ $0 }) else { return nil }
        switch state {
        case .trying: return Check("mqtt", .warning, "\(address) has not answered yet")
        case let .connected(since: _, topics: _, trouble: trouble?):
            return Check(
                "mqtt", .warning, "connected to \(address), but \(trouble)",
                remedy: .other("allow it in the broker's access list, or raise its limits (docs/mqtt.md)"))
        case let .connected(since: _, topics: topics, trouble: nil):
            return Check("mqtt", .ok, "connected to \(address), which keeps \(counted(topics, "topic")) of this home")
        case let .lost(loss, since: _):
            return Check(
                "mqtt", .failure(.unreachable), "not connected to \(address): \(loss)",
                remedy: .other("look at 'mqtt' in the configuration, and at the broker's own log"))
        }
    }
}
