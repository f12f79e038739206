import Testing

@testable import ServiceDiscovery

@Suite struct ServiceTableTests {
    private let kitchen = ServiceName(name: "Kitchen", type: "_hue._tcp.", domain: "local.")

    private func service(
        host: String = "kitchen.local", port: Int = 443, _ addresses: [String] = ["192.0.2.1"],
        text: [String: String] = [:]
    ) -> DiscoveredService {
        DiscoveredService(
            name: "Kitchen", type: "_hue._tcp", domain: "local", host: host, port: port,
            addresses: addresses.compactMap { IPAddress($0) }, text: text
        )
    }

    private func resolved(host: String = "kitchen.local", port: Int = 443, text: [String: String] = [:])
        -> ServiceTable.Report
    {
        .resolved(kitchen, host: host, port: port, text: text)
    }

    private func at(_ text: String) throws -> ServiceTable.Report {
        .addressAppeared(kitchen, try #require(IPAddress(text)))
    }

    private func notAt(_ text: String) throws -> ServiceTable.Report {
        .addressDisappeared(kitchen, try #require(IPAddress(text)))
    }

    private var gone: DiscoveryEvent { .removed(name: "Kitchen", type: "_hue._tcp", domain: "local") }

    /// A table that has published the kitchen on interface 2.
    private func found() throws -> ServiceTable {
        var table = ServiceTable()
        #expect(table.events(.appeared(kitchen, interface: 2), resolved(), try at("192.0.2.1")) == [.found(service())])
        return table
    }

    @Test func `a service on three interfaces and two protocols is found once, and removed with the last`() throws {
        var table = ServiceTable()
        let interfaces: [UInt32] = [1, 2, 2, 3]
        for interface in interfaces { #expect(table.apply(.appeared(kitchen, interface: interface)) == nil) }
        #expect(table.events(resolved(), try at("192.0.2.1"), try at("192.0.2.1"), resolved()) == [.found(service())])
        for interface in interfaces.dropLast() {
            #expect(table.apply(.disappeared(kitchen, interface: interface)) == nil)
        }
        #expect(table.apply(.disappeared(kitchen, interface: 3)) == gone)
    }

    @Test func `nothing is published before host and address are known`() throws {
        var table = ServiceTable()
        #expect(table.events(.appeared(kitchen, interface: 2), resolved()).isEmpty)
        #expect(
            table.events(.disappeared(kitchen, interface: 2)).isEmpty,
            "a service that was never published is not removed")
    }

    @Test func `reports for an unknown service are ignored`() throws {
        var table = ServiceTable()
        #expect(
            table.events(resolved(), try at("192.0.2.1"), try notAt("192.0.2.1"), .disappeared(kitchen, interface: 2))
                .isEmpty)
        #expect(!table.isPresent(kitchen))
        table = try found()
        #expect(table.events(.disappeared(kitchen, interface: 9), try notAt("192.0.2.9")).isEmpty)
        #expect(table.isPresent(kitchen))
    }

    @Test func `a new port, text or address is a change, a repetition is not`() throws {
        var table = try found()
        #expect(table.apply(resolved()) == nil)
        #expect(table.apply(resolved(port: 8_443)) == .changed(service(port: 8_443)))
        #expect(table.apply(resolved(text: ["a": "b"])) == .changed(service(text: ["a": "b"])))
        #expect(table.apply(resolved()) == .changed(service()))
        #expect(table.apply(try at("2001:db8::1")) == .changed(service(["192.0.2.1", "2001:db8::1"])))
        #expect(table.apply(try notAt("192.0.2.1")) == .changed(service(["2001:db8::1"])))
    }

    @Test func `another host replaces the addresses`() throws {
        var table = try found()
        #expect(table.apply(resolved(host: "cellar.local")) == nil)
        #expect(table.apply(try at("192.0.2.7")) == .changed(service(host: "cellar.local", ["192.0.2.7"])))
    }

    @Test func `an address reported by two protocols disappears with the second`() throws {
        var table = try found()
        #expect(
            table.events(try at("192.0.2.1"), try at("192.0.2.2")) == [.changed(service(["192.0.2.1", "192.0.2.2"]))])
        #expect(table.apply(try notAt("192.0.2.1")) == nil)
        #expect(table.apply(try notAt("192.0.2.1")) == .changed(service(["192.0.2.2"])))
    }

    @Test func `the last address is kept until a new one arrives`() throws {
        var table = try found()
        #expect(table.apply(try notAt("192.0.2.1")) == nil)
        #expect(table.apply(try at("192.0.2.9")) == .changed(service(["192.0.2.9"])))
    }

    @Test func `addresses queried again are not counted twice`() throws {
        var table = try found()
        #expect(table.events(.addressesUnknown(kitchen), try at("192.0.2.1"), try at("192.0.2.2")).count == 1)
        #expect(table.apply(try notAt("192.0.2.1")) == .changed(service(["192.0.2.2"])))
    }

    @Test func `a daemon that comes back with the same service causes no event`() throws {
        var table = try found()
        table.daemonDisconnected()
        #expect(!table.isPresent(kitchen))
        #expect(table.events(.appeared(kitchen, interface: 2), resolved(), try at("192.0.2.1")).isEmpty)
        #expect(table.removeUnseen().isEmpty)
        #expect(table.apply(.disappeared(kitchen, interface: 2)) == gone)
    }

    @Test func `a daemon that comes back with another address causes a change`() throws {
        var table = try found()
        table.daemonDisconnected()
        let again: [ServiceTable.Report] = [.appeared(kitchen, interface: 2), resolved(), try at("192.0.2.9")]
        #expect(again.compactMap { table.apply($0) } == [.changed(service(["192.0.2.9"]))])
    }

    @Test func `a service that is missing after a daemon's return is removed once`() throws {
        var table = try found()
        table.daemonDisconnected()
        table.daemonDisconnected()
        #expect(table.removeUnseen() == [gone])
        #expect(table.removeUnseen().isEmpty)
    }

    @Test func `any sequence of reports yields found, changed and removed in order`() throws {
        var chance = SystemRandomNumberGenerator()
        let names = ["A", "B"].map { ServiceName(name: $0, type: "_hue._tcp", domain: "local") }
        let addresses = try ["192.0.2.1", "192.0.2.2"].map { try #require(IPAddress($0)) }
        var table = ServiceTable()
        var known: [String: DiscoveredService] = [:]
        for _ in 0..<20_000 {
            let name = names[Int.random(in: 0..<2, using: &chance)]
            let address = addresses[Int.random(in: 0..<2, using: &chance)]
            var events: [DiscoveryEvent] = []
            switch Int.random(in: 0..<24, using: &chance) {
            case 0..<6: events += table.events(.appeared(name, interface: .random(in: 1...2, using: &chance)))
            case 6..<11: events += table.events(.disappeared(name, interface: .random(in: 1...2, using: &chance)))
            case 11..<16:
                events += table.events(.resolved(name, host: "h", port: .random(in: 1...2, using: &chance), text: [:]))
            case 16..<19: events += table.events(.addressAppeared(name, address))
            case 19..<21: events += table.events(.addressDisappeared(name, address))
            case 21: events += table.events(.addressesUnknown(name))
            case 22: table.daemonDisconnected()
            default: events += table.removeUnseen()
            }
            for event in events {
                switch event {
                case let .found(service):
                    #expect(known.updateValue(service, forKey: service.name) == nil, "found twice")
                    #expect(!service.addresses.isEmpty)
                case let .changed(service):
                    let before = known.updateValue(service, forKey: service.name)
                    #expect(before != nil && before != service, "changed from nothing, or to the same")
                    #expect(!service.addresses.isEmpty)
                case let .removed(name, _, _): #expect(known.removeValue(forKey: name) != nil, "removed before found")
                case .failed, .resumed: Issue.record("a table never fails")
                }
            }
        }
    }
}

extension ServiceTable {
    fileprivate mutating func events(_ reports: Report...) -> [DiscoveryEvent] {
        reports.compactMap { apply($0) }
    }
}
