public import CoreMetrics
import Synchronization

/// What is counted and measured since the start, for ``ControlSurface/metrics(as:)``.
///
/// It is handed to the modules that emit, and is not swift-metrics' global factory: a process may run several daemons one
/// after the other, and what libraries emit has no row in ``MetricFamily``.
public final class MetricsRegistry: MetricsFactory {
    /// A figure that something keeps itself, as it is now.
    public struct Observation: Sendable {
        let family: MetricFamily
        let labels: MetricLabels
        let value: MetricValue

        /// - Parameter labels: names and values.
        public init(_ family: MetricFamily, _ value: Double, _ labels: [(String, String)] = []) {
            (self.family, self.labels, self.value) = (family, MetricLabels(labels), .number(value))
        }
    }

    struct Sample: Sendable {
        let labels: MetricLabels
        let value: MetricValue
    }

    private struct Contents: Sendable {
        var series: [MetricFamily: [MetricLabels: any Series]] = [:]
        /// Where each of them stands.
        var places: [ObjectIdentifier: (family: MetricFamily, labels: MetricLabels)] = [:]
        var observers: [@Sendable () -> [Observation]] = []
    }

    private let contents = Mutex(Contents())

    public init() {}

    /// Asks at each scrape for figures that are kept elsewhere: nothing is done for them in between.
    public func observe(_ read: @escaping @Sendable () -> [Observation]) {
        contents.withLock { $0.observers.append(read) }
    }

    /// Everything as it is now, by family and by labels.
    func collect() -> [MetricFamily: [Sample]] {
        let (series, observers) = contents.withLock { ($0.series, $0.observers) }
        var samples = series.mapValues { all in
            all.compactMap { labels, series in series.value.map { Sample(labels: labels, value: $0) } }
                .sorted { $0.labels.text < $1.labels.text }
        }
        for observation in observers.flatMap({ $0() }) {
            samples[observation.family, default: []].append(
                Sample(labels: observation.labels, value: observation.value))
        }
        return samples
    }

    // MARK: - What swift-metrics asks of a factory

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let total: Total? = series(label, dimensions) { $0 == .counter ? Total() : nil }
        return total ?? NOOPMetricsHandler.instance
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        let level: Level? = series(label, dimensions) { $0 == .gauge ? Level() : nil }
        return level ?? NOOPMetricsHandler.instance
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let durations: Durations? = series(label, dimensions) { kind in
            if case let .histogram(bounds) = kind { Durations(bounds) } else { nil }
        }
        return durations ?? NOOPMetricsHandler.instance
    }

    /// Nothing of ours records anything but durations.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        assertionFailure("'\(label)' has no kind of family")
        return NOOPMetricsHandler.instance
    }

    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// The series of this name with these labels: the one that there is, or a new one.
    private func series<Handler: Series>(
        _ label: String, _ dimensions: [(String, String)], _ make: (MetricFamily.Kind) -> Handler?
    ) -> Handler? {
        guard let family = MetricFamily(rawValue: label), let new = make(family.kind) else {
            assertionFailure("no family of this kind is called '\(label)'")
            return nil
        }
        let labels = MetricLabels(dimensions)
        return contents.withLock { contents in
            if let known = contents.series[family]?[labels] as? Handler { return known }
            contents.series[family, default: [:]][labels] = new
            contents.places[ObjectIdentifier(new)] = (family, labels)
            return new
        }
    }

    private func remove(_ handler: AnyObject) {
        contents.withLock { contents in
            guard let (family, labels) = contents.places.removeValue(forKey: ObjectIdentifier(handler)) else { return }
            contents.series[family]?[labels] = nil
        }
    }
}

private protocol Series: AnyObject, Sendable {
    /// `nil` if there is nothing to tell yet.
    var value: MetricValue? { get }
}

private final class Total: Series, CounterHandler {
    private let count = Mutex<Int64>(0)

    var value: MetricValue? { .whole(count.withLock(\.self)) }

    func increment(by amount: Int64) { count.withLock { $0 &+= amount } }
    func reset() { count.withLock { $0 = 0 } }
}

private final class Level: Series, MeterHandler {
    private let level = Mutex<Double?>(nil)

    var value: MetricValue? { level.withLock(\.self).map { .number($0) } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { level.withLock { $0 = value } }
    func increment(by amount: Double) { level.withLock { $0 = ($0 ?? 0) + amount } }
    func decrement(by amount: Double) { increment(by: -amount) }
}

/// In seconds.
private final class Durations: Series, TimerHandler {
    private struct Distribution {
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let distribution: Mutex<Distribution>

    init(_ bounds: [Double]) {
        self.bounds = bounds
        distribution = Mutex(Distribution(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var value: MetricValue? { distribution.withLock { .histogram(counts: $0.counts, sum: $0.sum) } }

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        let place = bounds.firstIndex { seconds <= $0 } ?? bounds.count
        distribution.withLock { distribution in
            distribution.counts[place] += 1
            distribution.sum += seconds
        }
    }
}
