import Foundation
import Testing

@testable import LightDaemon

@Suite struct ProcessUsageTests {
    @Test(arguments: ["lightd", "a b", ") S 1", "((", ""])
    func `the fields are those of proc(5), whatever the program is called`(name: String) {
        let numbers = (4...52).map(String.init).joined(separator: " ")
        let usage = ProcessUsage("77 (\(name)) S \(numbers)\n", ticks: 100, page: 4096, booted: 1000, descriptors: 9)
        // Fields 14 and 15 are ticks of the processor, 22 the start, 24 the pages; each is its own number here.
        #expect(usage?.cpu == 0.29 && usage?.started == 1000.22 && usage?.memory == 24 * 4096)
        #expect(usage?.descriptors == 9)
    }

    @Test(arguments: ["", "77", "77 (lightd)", "77 (lightd) S 1 2 3"])
    func `what is none says nothing`(stat: String) {
        #expect(ProcessUsage(stat, ticks: 100, page: 4096, booted: 0, descriptors: 0) == nil)
    }

    @Test func `this process has memory, descriptors, and a start that stays`() throws {
        let usage = try #require(ProcessUsage.now())
        #expect(usage.memory > 1_000_000 && usage.cpu > 0 && usage.descriptors >= 3)
        #expect(usage.started > 1e9 && usage.started < Date().timeIntervalSince1970)
        #expect(ProcessUsage.now()?.started == usage.started)
    }
}
