import Khipu
import Lighting
import Synchronization

/// The links that were made and not used yet. Each signs one page in. They are in memory only: a restart ends them.
final class OneTimeLinks: Sendable {
    static let lifetime = Duration.seconds(600)
    /// One more replaces the oldest.
    static let maximum = 32

    struct Link: Equatable, Sendable {
        fileprivate let digest: String
        /// What the page will be allowed.
        let access: AccessToken.Access
        /// The token with which it was made, and without which it is of no use; `nil` if a person at lightd's machine
        /// made it.
        let maker: AccessTokens.Grant?
        let expires: Timestamp
    }

    private let now: @Sendable () -> Timestamp
    private let links = Mutex<[Link]>([])

    init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
    }

    func make(_ access: AccessToken.Access, by maker: AccessTokens.Grant?) -> (secret: String, link: Link) {
        let secret = Secret.link()
        let link = Link(
            digest: Secret.digest(of: secret), access: access, maker: maker,
            expires: now().advanced(by: Self.lifetime))
        put(link)
        return (secret, link)
    }

    /// The link of this secret, which is used up now; `nil` if there is none. Takes the same time for every wrong one.
    func take(_ secret: String) -> Link? {
        let (digest, now) = (Secret.digest(of: secret), now())
        return links.withLock { links in
            links.removeAll { $0.expires <= now }
            var place: Int?
            for index in links.indices where Secret.equal(links[index].digest, digest) { place = index }
            return place.map { links.remove(at: $0) }
        }
    }

    /// Makes a link usable again that has signed nobody in.
    func put(_ link: Link) {
        links.withLock { links in
            if links.count >= Self.maximum { links.removeFirst() }
            links.append(link)
        }
    }
}
