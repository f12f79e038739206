import Hummingbird
import NIOCore

/// What middleware and routes know about a request besides its bytes.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection that it came over.
    let channel: any Channel
    /// Set by ``AccessMiddleware``.
    var admission = Admission(SenderName(calling: nil, ""), .none)

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
