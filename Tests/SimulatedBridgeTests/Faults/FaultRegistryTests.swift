import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct FaultRegistryTests {
    private static let get = FaultTrigger(method: "GET", path: "/clip/v2/resource")
    private static let put = FaultTrigger(method: "PUT", path: "/clip/v2/resource/light/1")

    private static func book(_ faults: Fault..., seed: UInt64 = 1) -> FaultRegistry {
        var book = FaultRegistry(seed: seed)
        for fault in faults { book.begin(fault, at: .zero) }
        return book
    }

    @Test(arguments: [1, 2, 7]) func `a fault with a count strikes that often, and never again`(count: Int) throws {
        var book = Self.book(try Fault(.busy, 503, Fault.Scope(count: count)))
        let struck = (0..<20).map { _ in book.trigger(.busy, Self.get, at: .zero) != nil }
        #expect(struck == (0..<20).map { $0 < count })
        #expect(book.isIdle && book.active(at: .zero).isEmpty)
    }

    @Test func `a fault with a duration strikes until it has passed`() throws {
        var book = Self.book(try Fault(.busy, 503, Fault.Scope(for: .seconds(10))))
        #expect(book.trigger(.busy, Self.get, at: .seconds(9)) != nil)
        #expect(book.trigger(.busy, Self.get, at: .seconds(10)) == nil)
        #expect(book.active(at: .seconds(10)).isEmpty)
    }

    @Test func `a fault strikes only requests with its path and method`() throws {
        var book = Self.book(try Fault(.busy, 503, Fault.Scope(path: "/clip/v2/resource/light", method: "put")))
        #expect(book.trigger(.busy, Self.get, at: .zero) == nil)
        #expect(book.trigger(.busy, FaultTrigger(method: "GET", path: Self.put.path), at: .zero) == nil)
        #expect(book.trigger(.busy, Self.put, at: .zero) != nil)
    }

    /// The tolerance is five standard deviations. The seeds are fixed, so that a run that passes always passes.
    @Test(arguments: [0.1, 0.5, 0.9, 1.0], [1, 2, 3] as [UInt64])
    func `a fault strikes with its probability, and strikes the same requests with the same seed`(
        probability: Double, seed: UInt64
    ) throws {
        let fault = try Fault(.busy, 503, Fault.Scope(probability: probability))
        func run() -> [Bool] {
            var book = Self.book(fault, seed: seed)
            return (0..<1000).map { _ in book.trigger(.busy, Self.get, at: .zero) != nil }
        }
        let struck = run()
        let spread = 5 * (1000 * probability * (1 - probability)).squareRoot()
        #expect(abs(Double(struck.filter { $0 }.count) - 1000 * probability) <= spread)
        #expect(run() == struck)
    }

    @Test(arguments: [1, 2, 5]) func `a fault can strike every nth request that it covers`(every: Int) throws {
        var book = Self.book(try Fault(.busy, 503, Fault.Scope(count: 3, method: "PUT", every: every)))
        var struck: [Int] = []
        for number in 1...30 {
            // A request that it does not cover does not count.
            #expect(book.trigger(.busy, Self.get, at: .zero) == nil)
            if book.trigger(.busy, Self.put, at: .zero) != nil { struck.append(number) }
        }
        #expect(struck == [every, 2 * every, 3 * every])
    }

    @Test func `with another seed a fault strikes other requests`() throws {
        let fault = try Fault(.busy, 503, Fault.Scope(probability: 0.5))
        let runs = (1...5).map { seed in
            var book = Self.book(fault, seed: UInt64(seed))
            return (0..<50).map { _ in book.trigger(.busy, Self.get, at: .zero) != nil }
        }
        #expect(Set(runs).count == 5)
    }

    @Test func `a fault replaces one of its kind, unless it covers other requests`() throws {
        var book = Self.book(try Fault("busy:503"), try Fault("busy:429"))
        #expect(book.active(at: .zero).map(\.fault.number) == [429])
        book.begin(try Fault(.busy, 500, Fault.Scope(path: "/api")), at: .zero)
        #expect(book.active(at: .zero).map(\.fault.number) == [429, 500])
    }

    @Test func `of two faults that answer a request the older one strikes, and the other is not counted`() throws {
        var book = Self.book(
            try Fault(.hangUp, nil, Fault.Scope(count: 1)), try Fault(.busy, 503, Fault.Scope(count: 1)))
        let struck = (0..<3).map { _ in book.trigger(.immediate, Self.get, at: .zero)?.kind }
        #expect(struck == [.hangUp, .busy, nil])
    }

    @Test func `a fault that changes nothing has not struck`() throws {
        var book = Self.book(try Fault(.mirekNull, nil, Fault.Scope(count: 1)))
        for _ in 0..<3 { _ = book.applying(.documents, to: 1, Self.get, at: .zero) { $1 } }
        #expect(book.active(at: .zero).map(\.left) == [1])
        #expect(book.applying(.documents, to: 1, Self.get, at: .zero) { $1 + 1 } == 2)
        #expect(book.applying(.documents, to: 1, Self.get, at: .zero) { $1 + 1 } == 1)
    }

    @Test func `one fault can be ended alone, or all at once`() throws {
        var book = Self.book(try Fault("busy"), try Fault("hang"), .unlimited)
        #expect(book.end(.busy, at: .zero).map(\.kind) == [.busy])
        #expect(book.active(at: .zero).map(\.fault.kind) == [.hang, .unlimited])
        #expect(book.end(at: .zero).map(\.kind) == [.hang, .unlimited])
        #expect(book.isIdle && book.active(at: .zero).isEmpty)
    }

    /// After any sequence of events the registry holds no fault that is over.
    @Test(arguments: 0..<10 as Range<UInt64>) func `a fault never strikes more often than its count`(seed: UInt64)
        throws
    {
        var random = SplitMix(seed: seed)
        var book = FaultRegistry(seed: seed)
        var now = Duration.zero
        var begun = 0
        var struck = 0
        for _ in 0..<500 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let count = Int.random(in: 1...4, using: &random)
                struck = 0
                begun = count
                book.begin(try Fault(.busy, nil, Fault.Scope(count: count, for: .seconds(5))), at: now)
            case 1: now += .seconds(Int.random(in: 0...3, using: &random))
            default:
                if book.trigger(.busy, Self.get, at: now) != nil { struck += 1 }
                #expect(struck <= begun)
            }
            #expect(book.active(at: now).allSatisfy { !$0.isOver(at: now) && ($0.left ?? 1) > 0 })
        }
    }

    @Test func `limits are those of real bridges unless a fault sets them`() throws {
        #expect(Self.book().limits(at: .zero) == .usual)
        let book = Self.book(.inFlight(7), .lightsPerSecond(20), try Fault("burst:3"), try Fault("limit-status"))
        #expect(
            book.limits(at: .zero)
                == Limits(inFlight: 7, lights: 20, groups: 1, lightBurst: 3, groupBurst: 3, status: 503))
        #expect(Self.book(.unlimited, .inFlight(1)).limits(at: .zero).inFlight == nil)
    }
}
