// Gateways for copies of the application, in which nothing leaves it.

extension BridgeStack {
    static var inert: Self {
        Self(
            discover: { _, _ in }, pair: { _, _, _ in }, connect: { _ in }, revoke: { _ in }, forget: { _, _ in },
            listen: { _ in })
    }
}

extension RoomStack {
    static var inert: Self {
        Self(
            create: { $4(.failure(.unsimulated)) }, add: { $2(.failed(.unsimulated)) },
            remove: { $2(.failed(.unsimulated)) }, delete: { $1(.failed(.unsimulated)) })
    }
}

extension SceneStack {
    static var inert: Self {
        Self(
            save: { $3(.failure(.unsimulated)) }, update: { $1(.failed(.unsimulated)) },
            rename: { $2(.failed(.unsimulated)) }, delete: { $1(.failed(.unsimulated)) },
            read: { $1(.failure(.unsimulated)) })
    }
}

extension Failure {
    fileprivate static let unsimulated = Failure.invalid("rooms and scenes are not changed in a simulation")
}

extension Archive {
    /// Says that it has saved everything.
    static var obedient: Self {
        Self(
            keep: { $1(.succeeded) }, drop: { $1(.succeeded) }, check: { $0(.succeeded) }, remember: { _ in })
    }
}

extension Journal {
    static var inert: Self { Self(append: { _, _, _ in }, list: { _, _ in {} }, prune: { _, _ in }) }
}
