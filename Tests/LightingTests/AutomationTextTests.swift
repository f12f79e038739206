import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// What automations consist of, written and read again.
@Suite struct AutomationTextTests {
    @Test func `every trigger, condition and step that is written is read as the same`() throws {
        var random = SplitMix(seed: 14)
        for _ in 0..<4000 {
            let trigger = random.trigger()
            #expect(try Automation.Trigger(trigger.description) == trigger, "\(trigger)")
            let condition = random.condition()
            #expect(try Automation.Condition(condition.description) == condition, "\(condition)")
            let step = random.waitingStep()
            #expect(try Automation.Step(step.description) == step, "\(step)")
        }
    }

    @Test(
        arguments: [
            ("motion Hall", .becomes(.motion("Hall", true))),
            ("no motion Hall for 2m", .becomes(.motion("Hall", false), for: .seconds(120))),
            ("Motion Living room for 30s", .becomes(.motion("Living room", true), for: .seconds(30))),
            ("contact \"Front door\" open", .becomes(.contact("Front door", isOpen: true))),
            ("light floor lamp on", .becomes(.power("floor lamp", .on))),
            ("@Living off for 1h", .becomes(.power("@Living", .off), for: .seconds(3600))),
            ("room Living on", .becomes(.power("@Living", .on))), ("all off", .becomes(.power("all", .off))),
            ("lux Hall < 12 for 5m", .becomes(.lightLevel("Hall", .below(12)), for: .seconds(300))),
            ("lux Hall<12lx", .becomes(.lightLevel("Hall", .below(12)))),
            ("temperature Bath above 24.5 °C", .becomes(.temperature("Bath", .above(24.5)))),
            ("temperature Attic < -4", .becomes(.temperature("Attic", .below(-4)))),
            ("bridge lost", .becomes(.bridge(nil, isConnected: false))),
            ("bridge Up stairs connected", .becomes(.bridge("Up stairs", isConnected: true))),
            ("button Dial 1 long", .press(sensor: "Dial", button: 1, .longPressed)),
            ("button Dial Living 2", .press(sensor: "Dial Living", button: 2, .released)),
            ("button Dial long-release", .press(sensor: "Dial", button: nil, .releasedLong)),
            (
                "06:45 mon-fri",
                .clock(.at(.time(TimeOfDay(hour: 6, minute: 45)), [.monday, .tuesday, .wednesday, .thursday, .friday]))
            ),
            ("sunset - 20m", .clock(.at(.sun(.sunset, offset: .seconds(-1200))))),
        ] as [(String, Automation.Trigger)])
    func `a trigger is read as a person writes it`(text: String, trigger: Automation.Trigger) throws {
        #expect(try Automation.Trigger(text) == trigger)
    }

    @Test(
        arguments: [
            (
                "@Living off or not motion Hall",
                .any([.check(.power("@Living", .off)), .not(.check(.motion("Hall", true)))])
            ),
            ("between sunset and 23:30", .between(.sun(.sunset), .time(TimeOfDay(hour: 23, minute: 30)))),
            ("sat, sun", .days([.saturday, .sunday])), ("sun < -4", .elevation(.below(-4))),
            (
                "mon-fri or lux Hall < 10",
                .any([
                    .days([.monday, .tuesday, .wednesday, .thursday, .friday]), .check(.lightLevel("Hall", .below(10))),
                ])
            ),
        ] as [(String, Automation.Condition)])
    func `a condition is read as a person writes it`(text: String, condition: Automation.Condition) throws {
        #expect(try Automation.Condition(text) == condition)
    }

    @Test func `a step waits, restores, or is a command`() throws {
        #expect(try Automation.Step("wait 1h30m") == .wait(.seconds(5400)))
        #expect(
            try Automation.Step("wait no motion Hall for 2m at most 1h")
                == .waitFor(.motion("Hall", false), for: .seconds(120), atMost: .seconds(3600)))
        #expect(try Automation.Step("restore floor lamp") == .restore("floor lamp"))
        #expect(try Automation.Step("turn on hall") == nil)
    }

    @Test(arguments: [
        ("moton Hall", 0, "a time such as 06:45"), ("motion", 6, "the name of a sensor"),
        ("contact Door ajar", 17, "open or closed"),
        ("lux Hall = 3", 12, "< or >"), ("lux Hall < dark", 11, "lux, such as 12"),
        ("motion Hall for ever", 16, "a duration"),
        ("button Dial 1 twice", 14, "short, long-release, long"), ("no lights", 3, "motion"),
        ("bridge", 6, "lost, connected"),
        ("motion \"Hall", 12, "the closing quotation mark"), ("25:00", 0, "a time from 00:00"),
        ("light desk on now", 14, "the end"),
    ])
    func `a wrong trigger says what was expected, and where`(text: String, offset: Int, expected: String) {
        do throws(TimeTextError) {
            Issue.record("it was read as \(try Automation.Trigger(text))")
        } catch {
            #expect(error.offset == offset && error.expected.hasPrefix(expected), "\(error)")
        }
    }

    @Test func `every damaged text is read, or refused at a place in it`() async throws {
        var random = SplitMix(seed: 1)
        var samples: [String] = []
        for _ in 0..<300 {
            samples += [random.trigger().description, random.condition().description, random.waitingStep().description]
        }
        try await Fuzzing("automation-texts").texts(samples, batches: 1) { text in
            do throws(TimeTextError) {
                _ = try Automation.Trigger(text)
            } catch { try Self.check(error, text) }
            do throws(TimeTextError) {
                _ = try Automation.Condition(text)
            } catch { try Self.check(error, text) }
            do throws(TimeTextError) {
                _ = try Automation.Step(text)
            } catch { try Self.check(error, text) }
        }
    }

    private static func check(_ error: TimeTextError, _ text: String) throws {
        guard (0...text.count).contains(error.offset), !error.expected.isEmpty else {
            throw TestError("\(error) in \(text.count) characters")
        }
    }
}
