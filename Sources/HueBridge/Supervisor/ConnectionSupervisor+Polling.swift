import HueWire
import Lighting

/// A line to a bridge that tells nothing unasked: it is asked for its lights again and again, and seldom for the rest.
extension ConnectionSupervisor {
    /// How often rooms, scenes and names are looked at: they change by hand, and the answer is long.
    static let wholeInterval = Duration.seconds(60)

    /// One life of the line. Returns why it ended.
    func poll() async -> Failure {
        let start = ContinuousClock.now
        do throws(Failure) {
            connection.load(try await connection.fetch(.everything))
        } catch {
            return error
        }
        let interval = connection.settings.pollInterval
        await tellConnection(by: .polling(every: interval))
        return await keepAsking(every: interval, since: start)
    }

    private enum Turn { case written, due }

    private func keepAsking(every interval: Duration, since start: ContinuousClock.Instant) async -> Failure {
        var rhythm = PollRhythm(interval: interval)
        rhythm.asked(at: .zero)
        var whole = Duration.zero
        let (turns, slot) = AsyncStream<Turn>.makeStream()
        slot.yield(.due)
        let writes = connection.writes()
        return await withDiscardingTaskGroup(returning: Failure.self) { group in
            defer { group.cancelAll() }
            group.addTask { for await _ in writes { slot.yield(.written) } }
            // When the next turn comes by itself.
            var armed: Duration?
            for await turn in turns {
                let now = ContinuousClock.now - start
                if turn == .written { rhythm.commanded(at: now) }
                if rhythm.due <= now {
                    rhythm.asked(at: now)
                    let isWhole = now >= whole + Self.wholeInterval
                    if isWhole { whole = now }
                    if let loss = await ask(isWhole: isWhole) { return loss }
                }
                if let time = armed, time <= now { armed = nil }
                let due = rhythm.due
                guard armed.map({ due < $0 }) ?? true else { continue }
                armed = due
                group.addTask {
                    await rest(due - (ContinuousClock.now - start))
                    slot.yield(.due)
                }
            }
            return connection.stopping
        }
    }

    /// Asks once, and tells what is new.
    ///
    /// - Parameter isWhole: whether for rooms and scenes too.
    private func ask(isWhole: Bool) async -> Failure? {
        do throws(Failure) {
            let moment = connection.elapsed
            let lights = try await connection.fetch(.lights)
            let isAnotherHome = connection.compare(with: lights, askedAt: moment)
            guard isWhole || isAnotherHome else { return nil }
            let everything = try await connection.fetch(.everything)
            if isAnotherHome || connection.home.isArranged(otherwiseThan: everything, at: connection.now()) {
                connection.load(everything)
                await tellWhoItIs()
            }
            return nil
        } catch {
            return error
        }
    }
}
