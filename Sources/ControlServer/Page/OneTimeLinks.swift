import Khipu
import Lighting
import Synchronization

/// The links that were made and not used yet. Each signs one page in. They are in memory only: a restart ends them.
final class OneTimeLinks: Sendable {
    static let lifetime = Duration.seconds(600)
    /// Of one maker: one more replaces the oldest of the same. The person at lightd's machine is a maker, as is each token
    /// with all that was signed in through it.
    static let maximum = 32
    /// Of all tokens together, whose oldest gives way. It is never one of the person's at the machine.
    static let maximumOfTokens = 8 * maximum

    struct Link: Equatable, Sendable {
        fileprivate let digest: String
        /// What the page will be allowed.
        let access: AccessToken.Access
        /// When the page's session ends, besides with its maker.
        let sessionEnd: Timestamp?
        /// The token with which it was made, and without which it is of no use; `nil` if a person at lightd's machine
        /// made it.
        let maker: AccessTokens.Grant?
        fileprivate let end: ContinuousClock.Instant
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let links = Mutex<[Link]>([])

    /// - Parameter now: of a clock that nobody sets: a machine that learns the time of day after its start must neither
    ///   end its links early nor make them last.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
    }

    func make(_ access: AccessToken.Access, until sessionEnd: Timestamp?, by maker: AccessTokens.Grant?) -> String {
        let secret = Secret.link()
        put(
            Link(
                digest: Secret.digest(of: secret), access: access, sessionEnd: sessionEnd, maker: maker,
                end: now().advanced(by: Self.lifetime)))
        return secret
    }

    /// The link of this secret, which is used up now; `nil` if there is none.
    func take(_ secret: String) -> Link? {
        links.withLock { links in place(of: secret, in: &links).map { links.remove(at: $0) } }
    }

    /// Whether the link of this secret can be used.
    func contain(_ secret: String) -> Bool { links.withLock { place(of: secret, in: &$0) != nil } }

    /// Takes the same time for every wrong secret. Forgets the links whose time is over.
    private func place(of secret: String, in links: inout [Link]) -> Int? {
        let (digest, now) = (Secret.digest(of: secret), now())
        links.removeAll { $0.end <= now }
        var place: Int?
        for index in links.indices where Secret.equal(links[index].digest, digest) { place = index }
        return place
    }

    /// Makes a link usable again that has signed nobody in.
    func put(_ link: Link) {
        links.withLock { links in
            let maker = link.maker?.family
            if links.count(where: { $0.maker?.family == maker }) >= Self.maximum {
                links.firstIndex { $0.maker?.family == maker }.map { _ = links.remove(at: $0) }
            } else if maker != nil, links.count(where: { $0.maker != nil }) >= Self.maximumOfTokens {
                links.firstIndex { $0.maker != nil }.map { _ = links.remove(at: $0) }
            }
            links.append(link)
        }
    }
}
