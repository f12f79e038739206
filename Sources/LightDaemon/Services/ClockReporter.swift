import Khipu
import Lighting
import Logging

/// Says in the log that the machine's clock cannot be right, and that it was set: who looks there for why nothing has
/// happened at an hour must find it.
@DomainActor
final class ClockReporter {
    private let clock: Clock
    private let logger: Logger
    private var alarm: Alarm?
    private var isWrong = false

    init(_ clock: Clock, logger: Logger) {
        (self.clock, self.logger) = (clock, logger)
        // The clock keeps what its alarms call, and so this.
        alarm = clock.alarm { self.report() }
    }

    func report() {
        let now = clock.now()
        defer { alarm?.set(now.isPlausible ? now.advanced(by: Self.interval) : .earliestPlausible) }
        guard isWrong == now.isPlausible else { return }
        isWrong.toggle()
        if isWrong {
            logger.warning("\(now.wrongClockReport)")
        } else {
            logger.notice("the clock was set; what goes by the hour goes on")
        }
    }

    /// An alarm that is set to some time calls back whenever the clock is set.
    private static let interval = Duration.seconds(30 * 86_400)
}

extension Timestamp {
    fileprivate var wrongClockReport: String { "\(wrongClockWords); what goes by the hour waits until it is set" }
}

extension HomeTime {
    func check(_ now: Timestamp) -> Check {
        guard now.isPlausible else {
            return Check(
                "system clock", .warning, now.wrongClockReport,
                remedy: .other("'timedatectl' says whether the time is synchronized, and with what"))
        }
        return Check("system clock", .ok, "\(date(at: now)) \(timeOfDay(at: now)), \(zone.name)")
    }
}
