public import Glibc
import Synchronization

/// A host name whose look-up does not end until the test says so, as with a DNS server that does not answer.
public final class HeldHostName: Sendable {
    public let name: String

    fileprivate struct Held: Sendable {
        var lookups = 0
        /// Both ends of a pipe. A look-up reads from it, and gets its end when the test releases the name.
        let ends: [Int32]
    }

    fileprivate static let all = Mutex<[String: Held]>([:])
    private static let count = Mutex(0)

    public init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TestError("no pipe can be had") }
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        name = "bridge-\(number).held"
        Self.all.withLock { [name, ends] in $0[name] = Held(ends: ends) }
    }

    deinit { release() }

    /// How many look-ups have begun and not ended; 0 once the name is released.
    public var lookups: Int { Self.all.withLock { $0[name]?.lookups ?? 0 } }

    /// Ends all look-ups: the name does not exist.
    public func release() {
        if let held = Self.all.withLock({ $0.removeValue(forKey: name) }) { close(held.ends[1]) }
    }
}

/// Stands in the place of the C library's resolver for the whole test program, libcurl's calls included.
@_cdecl("getaddrinfo")
public func resolve(
    _ node: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafePointer<addrinfo>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
) -> Int32 {
    if let name = node.map({ String(cString: $0) }), name.hasSuffix(".held") {
        let end = HeldHostName.all.withLock { all in
            all[name]?.lookups += 1
            return all[name]?.ends[0]
        }
        var byte: UInt8 = 0
        if let end { _ = read(end, &byte, 1) }
        return EAI_NONAME
    }
    typealias Resolver =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?,
            UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
        ) -> Int32
    // RTLD_NEXT: the definition after this one, which is the C library's.
    guard let next = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo") else { return EAI_SYSTEM }
    return unsafeBitCast(next, to: Resolver.self)(node, service, hints, result)
}
