/// What a fault may strike: a request, or a frame of the event stream, which counts as a GET of the stream's path.
struct FaultTrigger: Sendable {
    let method: String
    let path: String

    init(method: String, path: String) {
        self.method = method
        self.path = path
    }

    init(_ request: BridgeRequest) {
        self.init(method: request.method, path: "/" + request.path.joined(separator: "/"))
    }

    static let frame = Self(method: "GET", path: "/eventstream/clip/v2")
}

extension Fault.Scope {
    func covers(_ trigger: FaultTrigger) -> Bool {
        if let method, method.uppercased() != trigger.method { return false }
        if let path, !trigger.path.hasPrefix(path) { return false }
        return true
    }
}
