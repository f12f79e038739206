/// Identifies a service by its instance, type and domain, without final dots.
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
    /// dns_sd ends every domain name with a dot.
    var withoutLastDot: String { hasSuffix(".") ? String(dropLast()) : self }
}
