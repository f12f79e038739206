/// What a fault may strike: a request, or a frame of the event stream, which counts as an answer to GET of its path.
struct Occasion: Sendable {
    let method: String
    let path: String

    init(method: String, path: String) {
        self.method = method
        self.path = path
    }

    init(_ ask: Ask) { self.init(method: ask.method, path: "/" + ask.path.joined(separator: "/")) }

    static let frame = Self(method: "GET", path: "/eventstream/clip/v2")
}

extension Fault.Scope {
    func covers(_ occasion: Occasion) -> Bool {
        if let method, method.uppercased() != occasion.method { return false }
        if let path, !occasion.path.hasPrefix(path) { return false }
        return true
    }
}
