import Khipu
import Testing

struct TimestampTests {
    @Test(arguments: [-5000, -1, 0, 1, 999, 1000, 86_400_000] as [Int64])
    func `advancing by a duration and measuring it are inverse`(milliseconds: Int64) {
        let start = Timestamp(milliseconds: 1_790_000_000_123)
        let end = start.advanced(by: .milliseconds(milliseconds))
        #expect(end.milliseconds == start.milliseconds + milliseconds)
        #expect(end.since(start) == .milliseconds(milliseconds))
    }

    @Test func `what nobody asked for has no ticket number`() {
        let ticket = Ticket.unasked(from: "bridge", at: Timestamp(milliseconds: 1))
        #expect(ticket.isUnasked)
        #expect(ticket.holder == "bridge")
    }
}
