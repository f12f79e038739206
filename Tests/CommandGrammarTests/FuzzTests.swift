import ControlProtocol
import TestSupport
import Testing

@testable import CommandGrammar

/// Values and lines, as people mistype them.
@Suite struct FuzzTests {
    private static let samples = [
        "40%", "+10%", "-10%", "\u{2212}5", "0.4", "12.5%", "120", "120°", "240deg", "2700K", "370mirek", "153 mired",
        "10pt", "400ms", "1.5s", "2min", "1h", "30m", "2d", "#ff8800", "#f80", "orange", "skyblue",
        "rgb(255, 136, 0)", "rgb(100% 50% 0%)", "hsb(30,100%,80%)", "hsb(120deg 50 50)", "xy(0.6,0.3)",
    ]

    @Test func `every damaged value is read within its range, or refused with words`() async throws {
        try await Fuzzing("grammar-values").texts(Self.samples, batches: 5) { text in
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
        }
    }

    private static let lines = [
        "dim kitchen 40% --over 10m", #"turn off "floor lamp" 'a b' desk\ lamp"#,
        "set @Hall --brightness 5% --temperature 2200K",
        "room create Office desk --bridge up", "scene rename living/relax Calm", "undo 3 --over=1s",
        "increase hue all --by 5",
        "powerup desk safety", "set desk --color #ff8800 --over 2s",
    ]

    @Test func `every damaged line is read, or refused at a place in it`() async throws {
        try await Fuzzing("grammar-lines").batches(1) { seed in
            var random = SplitMix(seed: seed)
            // Swift Testing keeps a backtrace of each error, which takes longer than reading the line.
            for _ in 0..<200 {
                let sample = Self.lines.randomElement(using: &random) ?? ""
                let line = String(decoding: random.mutated(Array(sample.utf8)), as: UTF8.self)
                do throws(TextError) {
                    #expect(try !Typed.commands(from: line).isEmpty)
                } catch {
                    #expect((0...line.count).contains(error.offset), "\(line.debugDescription): \(error)")
                    #expect(!error.message.isEmpty && !error.message.contains(where: \.isNewline))
                }
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
