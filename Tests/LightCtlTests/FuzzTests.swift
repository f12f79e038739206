import ControlProtocol
import TestSupport
import Testing

@testable import lightctl

/// The values of lightctl's arguments, as people mistype them.
@Suite struct FuzzTests {
    private static let samples = [
        "40%", "+10%", "-10%", "\u{2212}5", "0.4", "12.5%", "120", "120°", "240deg", "2700K", "370mirek", "153 mired",
        "10pt", "400ms", "1.5s", "2min", "1h", "30m", "2d", "2026-11-21", "2026-11-21T10:00",
        "2026-02-28 23:59:59.999Z",
        "2026-11-21 10:00:30+05:30", "1969-12-31T23:59:59-01:00", "#ff8800", "#f80", "orange", "skyblue",
        "rgb(255, 136, 0)", "rgb(100% 50% 0%)", "hsb(30,100%,80%)", "hsb(120deg 50 50)", "xy(0.6,0.3)",
    ]

    @Test func `every damaged value is read within its range, or refused with words`() async throws {
        try await Fuzzing("lightctl-values").texts(Self.samples, batches: 5) { text in
            try Self.check(text, Percent.init(argument:)) { (0...100).contains($0.value) }
            try Self.check(text, StepSize.init(argument:)) { $0.points > 0 && $0.points <= 100 }
            try Self.check(text, Hue.init(argument:)) { (0...360).contains($0.degrees) }
            try Self.check(text, TimeSpan.transition) { (0...6_000_000).contains($0.milliseconds) }
            try Self.check(text, TimeSpan.timeout) { (100...3_600_000).contains($0.milliseconds) }
            try Self.check(text, ValueChange<Percent>.init(argument:)) {
                switch $0 {
                case let .level(level): (0...100).contains(level.value)
                case let .up(by: points), let .down(by: points): points > 0 && points <= 100
                }
            }
            try Self.check(text, Temperature.init(argument:)) {
                (50...1000).contains($0.mirek) && (try? Temperature(argument: $0.kelvin)) == $0
            }
            try Self.check(text, ColorName.init(argument:)) {
                guard let color = try? LightColor($0.text) else { return false }
                return (try? LightColor(color.description))?.description == color.description
            }
            try Self.check(text, Since.init(argument:)) {
                let moment = $0.moment(in: .noon)
                return Moment(iso: moment.iso) == moment
            }
        }
    }

    /// - Throws: unless the text is read the same way twice and as a valid value, or refused with words.
    private static func check<Value: Equatable>(
        _ text: String, _ parse: (String) throws(ArgumentError) -> Value, isValid: (Value) -> Bool
    ) throws {
        let value: Value
        do throws(ArgumentError) {
            value = try parse(text)
        } catch {
            guard error.description.contains(": "), !error.description.contains(where: \.isNewline) else {
                throw TestError("\(Value.self) is refused with '\(error)'")
            }
            return
        }
        guard isValid(value), try parse(text) == value else { throw TestError("read as \(value)") }
    }
}
