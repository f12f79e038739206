/// A text in which Prometheus and others read metrics.
public enum MetricsFormat: Sendable, CaseIterable {
    /// Prometheus's text format 0.0.4.
    /// (https://prometheus.io/docs/instrumenting/exposition_formats/)
    case prometheus
    /// OpenMetrics 1.0.0, on its way to an RFC as draft-richih-opsawg-openmetrics.
    /// (https://prometheus.io/docs/specs/om/open_metrics_spec/)
    case openMetrics

    public var version: String {
        switch self {
        case .prometheus: "0.0.4"
        case .openMetrics: "1.0.0"
        }
    }

    public var mediaType: String {
        switch self {
        case .prometheus: "text/plain"
        case .openMetrics: "application/openmetrics-text"
        }
    }

    public var contentType: String { "\(mediaType); version=\(version); charset=utf-8" }
}

/// What one series is at a moment.
enum MetricValue: Equatable, Sendable {
    case whole(Int64)
    case number(Double)
    /// How many values lie between each bound and the one before it, and last how many are larger than all bounds.
    case histogram(counts: [UInt64], sum: Double)

    static func flag(_ value: Bool) -> Self { .whole(value ? 1 : 0) }
}

/// Names and values of labels as a series has them: `light="a/1",name="Desk"`.
struct MetricLabels: Hashable, Sendable {
    let text: String

    private init(text: String) { self.text = text }

    /// An empty value is the same as none.
    init(_ labels: [(name: String, value: String?)]) {
        var text = ""
        for case let (name, value?) in labels where !value.isEmpty {
            if !text.isEmpty { text += "," }
            text += name
            text += "=\""
            Self.append(value, to: &text)
            text += "\""
        }
        self.init(text: text)
    }

    init(_ name: String, _ value: String) { self.init([(name, value)]) }

    private static func append(_ value: String, to text: inout String) {
        let isPlain = value.utf8.allSatisfy { byte in
            byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\n")
        }
        guard !isPlain else { return text += value }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += #"\\"#
            case "\"": text += #"\""#
            case "\n": text += #"\n"#
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// Writes metrics, family by family. A family of which there is no series is left out.
struct MetricsText {
    private let format: MetricsFormat
    private var bytes: [UInt8] = []
    /// Whose head was written last.
    private var family: MetricFamily?

    init(_ format: MetricsFormat) {
        self.format = format
        // Fifty lights and what belongs to them.
        bytes.reserveCapacity(64 << 10)
    }

    /// Adds a series. Those of one family follow one another.
    mutating func add(_ family: MetricFamily, _ labels: MetricLabels, _ value: MetricValue) {
        if family != self.family { begin(family) }
        switch (value, family.kind) {
        case let (.histogram(counts, sum), .histogram(bounds)):
            var count: UInt64 = 0
            for (bound, more) in zip(bounds.map { "\($0)" } + ["+Inf"], counts) {
                count += more
                sample(family, "_bucket", labels, bound: bound, "\(count)")
            }
            sample(family, "_sum", labels, Self.text(sum))
            sample(family, "_count", labels, "\(count)")
        case let (.whole(number), _): sample(family, "", labels, "\(number)")
        case let (.number(number), _): sample(family, "", labels, Self.text(number))
        case (.histogram, _): assertionFailure("\(family) is no histogram")
        }
    }

    /// The text with its end, which only OpenMetrics marks: a reader can tell that nothing is missing.
    consuming func finished() -> [UInt8] {
        if format == .openMetrics { append("# EOF\n") }
        return bytes
    }

    private mutating func begin(_ family: MetricFamily) {
        self.family = family
        var name = family.rawValue
        let type: String
        switch (family.kind, format) {
        case (.gauge, _), (.info, .prometheus): type = "gauge"
        case (.histogram, _): type = "histogram"
        case (.counter, .prometheus): type = "counter"
        case (.counter, .openMetrics): (name, type) = (String(name.dropLast("_total".count)), "counter")
        case (.info, .openMetrics): (name, type) = (String(name.dropLast("_info".count)), "info")
        }
        append("# HELP ", name, " ", family.help, "\n# TYPE ", name, " ", type, "\n")
    }

    private mutating func sample(
        _ family: MetricFamily, _ suffix: String, _ labels: MetricLabels, bound: String? = nil, _ value: String
    ) {
        append(family.rawValue, suffix)
        switch (labels.text.isEmpty, bound) {
        case (true, nil): break
        case (false, nil): append("{", labels.text, "}")
        case let (isAlone, bound?): append("{", labels.text, isAlone ? "le=\"" : ",le=\"", bound, "\"}")
        }
        append(" ", value, "\n")
    }

    private mutating func append(_ texts: String...) { for text in texts { bytes.append(contentsOf: text.utf8) } }

    private static func text(_ number: Double) -> String {
        switch number {
        case .infinity: "+Inf"
        case -.infinity: "-Inf"
        case _ where number.isNaN: "NaN"
        case _ where number == number.rounded() && abs(number) < 1e15: "\(Int64(number))"
        default: "\(number)"
        }
    }
}
