import Lighting
import Synchronization

/// What a line knows of where its bridge announces itself: rings for an address that it has not looked at yet, and for one that was
/// gone and is back.
final class AddressWatcher: Sendable {
    private let id: Bridge.ID
    private let browser: MDNSBrowser
    private let known = Mutex<Set<Bridge.Address>>([])

    init(of id: Bridge.ID, in browser: MDNSBrowser) {
        self.id = id
        self.browser = browser
    }

    /// Everything announced so far has been looked at.
    ///
    /// - Returns: what is new of it.
    @discardableResult
    func settle() -> Set<Bridge.Address> {
        let now = browser.addresses(of: id)
        return known.withLock { known in
            defer { known = now }
            return now.subtracting(known)
        }
    }

    /// Waits for an announcement that has not been looked at.
    ///
    /// - Returns: whether there is one; `false` where the wait was cancelled.
    func news() async -> Bool {
        for await _ in browser.changes() {
            let now = browser.addresses(of: id)
            let isNew = known.withLock { known in
                known.formIntersection(now)
                return !now.isSubset(of: known)
            }
            if isNew { return true }
        }
        return false
    }

    /// Waits so long, or for news.
    ///
    /// - Returns: whether there is any.
    func news(within pause: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.news() }
            group.addTask {
                try? await Task.sleep(for: pause)  // cancelled: there is news, or nobody waits any more
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
