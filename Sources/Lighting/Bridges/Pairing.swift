import HashTreeCollections
import Khipu

/// The secrets of one paired bridge. They travel between the gateway and the archive, and never in a message.
public struct Pairing: Equatable, Sendable {
    public let bridge: Bridge
    public let key: Secret
    /// For entertainment streaming. A bridge gives it out only once.
    public let clientKey: Secret?
    public let trust: Trust
    public let api: API

    /// The version of the Hue API used with it. Ids differ between the two, so the version stays until the bridge is
    /// paired again.
    public enum API: Int, Codable, Sendable, CaseIterable {
        /// For round bridges, deCONZ and others without version 2: lights have numbers, and there is no event stream.
        case v1 = 1
        /// With an event stream.
        case v2
    }

    /// How its certificate is checked.
    public enum Trust: Hashable, Codable, Sendable {
        /// Signed by the maker, with the bridge's id as the common name.
        case maker
        /// Self-signed: the public key must be the one seen at pairing, "sha256//BASE64".
        case pinned(String)
        /// Not at all, over plain HTTP: for a bridge that has never offered HTTPS.
        case plain
    }

    public init(bridge: Bridge, key: Secret, clientKey: Secret?, trust: Trust, api: API = .v2) {
        self.bridge = bridge
        self.key = key
        self.clientKey = clientKey
        self.trust = trust
        self.api = api
    }

    /// The same secrets for a bridge with another address or name.
    public func with(_ bridge: Bridge) -> Self {
        Self(bridge: bridge, key: key, clientKey: clientKey, trust: trust, api: api)
    }
}

/// A text that is never printed.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public let revealed: String

    public init(_ text: String) {
        revealed = text
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Pairs with a bridge. Succeeds only once the key is saved: otherwise it would be lost at the next restart, and
/// somebody would have to press the link button again. The bridge is not asked for a key that cannot be saved.
struct BridgePairer: UseCase {
    enum Request { case pair(Bridge.ID?, waiting: Duration) }

    enum Response {
        /// Paired; the connection is about to be opened.
        case joined(Bridge)
        case pairing(Bridge.ID?, Outcome)
    }

    let stack: BridgeStack
    let archive: Archive
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .pair(bridge, waiting: duration):
            archive.check { [self] outcome in
                guard outcome == .succeeded else { return respond(.pairing(bridge, outcome), ticket) }
                pair(bridge, waiting: duration, ticket)
            }
        }
    }

    private func pair(_ bridge: Bridge.ID?, waiting duration: Duration, _ ticket: Ticket) {
        stack.pair(bridge, duration) { [self] result in
            switch result {
            case let .success(pairing): save(pairing, ticket)
            case let .failure(failure): respond(.pairing(bridge, .failed(failure)), ticket)
            }
        }
    }

    private func save(_ pairing: Pairing, _ ticket: Ticket) {
        archive.keep(.pairing(pairing)) { [stack, respond] outcome in
            if outcome == .succeeded {
                respond(.joined(pairing.bridge), ticket)
                stack.connect(pairing)
            } else {
                // The bridge would keep it for ever, and one more for each try.
                stack.revoke(pairing)
            }
            respond(.pairing(pairing.bridge.id, outcome), ticket)
        }
    }
}

/// Ends the pairing with a bridge: deletes the key on disk, then closes the connection and deletes our key on the bridge
/// if it can be reached. What cannot be saved changes nothing.
struct BridgeForgetter: UseCase {
    enum Request { case forget(Bridge.ID) }
    enum Response { case forgetting(Bridge.ID, Outcome) }

    let store: AppStore
    let stack: BridgeStack
    let archive: Archive
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .forget(bridge):
            guard store.state().bridges[bridge] != nil else {
                return respond(.forgetting(bridge, .failed(.noSuchBridge(bridge))), ticket)
            }
            // Saved first: a key that is still on disk, but no longer on the bridge, would be refused at every start.
            archive.drop(bridge) { [stack, respond] outcome in
                guard outcome == .succeeded else { return respond(.forgetting(bridge, outcome), ticket) }
                // The bridge is forgotten on this side even if it could not be reached.
                stack.forget(bridge) { _ in respond(.forgetting(bridge, .succeeded), ticket) }
            }
        }
    }
}
