/// What tells one service from every other: its instance, its type and its domain, without last dots.
struct ServiceName: Hashable {
    var name: String
    var type: String
    var domain: String

    init(name: String, type: String, domain: String) {
        self.name = name
        self.type = type.withoutLastDot
        self.domain = domain.withoutLastDot
    }
}

extension String {
    /// dns_sd ends every domain name with a dot; people do not.
    var withoutLastDot: String { hasSuffix(".") ? String(dropLast()) : self }
}
