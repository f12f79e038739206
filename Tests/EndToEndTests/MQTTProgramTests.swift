import ControlProtocol
import Foundation
import SimulatedBridge
import TestSupport
import Testing

/// lightd on a real broker, as other programs see it there.
@Suite(.timeLimit(.minutes(5)))
struct MQTTProgramTests {
    @Test func `the home is on the broker, and commands come from there`() async throws {
        try await Self.running { programs, broker in
            let desk = try await programs.topic("Desk")
            try await until("all is there") {
                try await broker.kept("lightd/home/#")["lightd/home/light/\(desk)"] != nil
            }
            let kept = try await broker.kept("#")
            #expect(kept["lightd/home/status"] == "online")
            #expect(kept["lightd/home/light/\(desk)/availability"] == "online")
            let device = try #require(kept["homeassistant/device/lightd_home/lightd_\(desk)/config"])
            #expect(device.contains(#""name":"Desk""#) && !device.contains(#""qos""#))

            let following = try broker.follow("lightd/home/light/\(desk)")
            defer { following.signal(SIGKILL) }
            try await until("it follows") { !following.lines.isEmpty }
            try await broker.publish(
                "lightd/home/light/\(desk)/set", #"{"state":"ON","brightness":128,"color_temp":2700,"transition":1}"#,
                "-D", "publish", "user-property", "client", "node-red")
            try await until("it is shown") {
                following.lines.last == "lightd/home/light/\(desk)\t"
                    + #"{"brightness":128,"color_mode":"color_temp","color_temp":2703,"effect":"off","state":"ON"}"#
            }
            try await until("it is confirmed") { try await programs.light("Desk").freshness == .confirmed }
            #expect(try await programs.light("Desk").cause.by == #"mqtt as "node-red""#)
            // The values from the middle of the fade were nobody's.
            #expect(following.lines.count <= 3, "\(following.lines)")
            #expect(try await programs.lightctl("undo", "--wait").status == 0)

            // What cannot be done is said, and the state is as it was.
            let errors = try broker.follow("lightd/home/error")
            defer { errors.signal(SIGKILL) }
            try await until("errors are followed") {
                try await broker.publish("lightd/home/light/\(desk)/set", #"{"effect":"disco"}"#)
                return !errors.lines.isEmpty
            }
            #expect(errors.lines[0].contains("disco") && errors.lines[0].contains("lightd/home/light/\(desk)/set"))
        }
    }

    @Test func `of many commands in a row the last one counts`() async throws {
        try await Self.running { programs, broker in
            let desk = try await programs.topic("Desk")
            try await until("it is there") { try await broker.kept("#")["lightd/home/light/\(desk)"] != nil }
            for round in 1...3 {
                let last = 20 * round
                let levels = (0..<400).map { "\(1 + $0 * 7 % 254)" } + ["\(last)"]
                let file = try programs.place.write("levels", levels.joined(separator: "\n") + "\n")
                let done = try await programs.shell.run(
                    "mosquitto_pub -h \(broker.host) -q 1 -l -t lightd/home/light/\(desk)/set < \(file)")
                #expect(done.status == 0, "\(done)")
                let percent = Double(last - 1) / 2.53
                try await until("the last one is shown, confirmed") {
                    let light = try await programs.light("Desk")
                    return light.freshness == .confirmed && abs((light.brightness ?? -1) - percent) < 0.5
                }
            }
        }
    }

    @Test func `the whole control API is asked there, and answers only where its site does`() async throws {
        try await Self.running { programs, broker in
            let desk = try await programs.topic("Desk")
            try await until("it is there") { try await broker.kept("#")["lightd/home/light/\(desk)"] != nil }
            let home = "lightd/home"
            func ask(_ more: String..., to topic: String = "request") async throws -> String {
                try await broker.ask("\(home)/\(topic)", answer: "\(home)/response/me", more)
            }
            let lights = try await ask("-D", "publish", "user-property", "path", "/v1/lights?target=desk", "-n")
            #expect(try JSONDecoder().decode([LightBody].self, from: Data(lights.utf8)).map(\.name) == ["Desk"])
            let off = #"{"command":"turn","to":"off","target":"desk","wait":true}"#
            let reply = try await ask("-m", off, "-D", "publish", "user-property", "client", "panel")
            #expect(try JSONDecoder().decode(CommandReply.self, from: Data(reply.utf8)).lights?[0].power == .off)
            #expect(try await programs.light("Desk").cause.by == #"mqtt as "panel""#)
            #expect(try await ask("-m", off, to: "request/look").contains("needs the role 'control'"))
            #expect(try await ask("-m", #"{"command":"rename","target":"desk","name":"X"}"#).contains("mqtt.allow"))
            #expect(try await ask("-m", "{").contains(#""code":"invalid""#))

            // Whoever may ask must not have the site publish for it where only the site may.
            let errors = try broker.follow("\(home)/error")
            defer { errors.signal(SIGKILL) }
            try await until("errors are followed") {
                try await broker.publish("\(home)/request", "{")
                return !errors.lines.isEmpty
            }
            for topic in ["\(home)/light/\(desk)/set", "\(home)/status", "\(home)/response/", "zigbee2mqtt/x/set"] {
                try await broker.publish("\(home)/request", off, "-D", "publish", "response-topic", topic)
            }
            try await until("each is said") { errors.lines.count { $0.contains("cannot go to") } == 4 }
            // One that the broker keeps would be done again whenever lightd connects.
            try await broker.publish("\(home)/request", #"{"command":"turn","to":"on","target":"desk"}"#, "-r")
            try await until("it is done once") { try await programs.light("Desk").power == .on }
            #expect(try await programs.lightctl("off", "desk", "--wait").status == 0)
            try await broker.stop()
            try await broker.start()
            try await until("it is said") {
                programs.lightd.errors.contains("a command is retained on \(home)/request")
            }
            #expect(try await programs.light("Desk").power == .off)
        }
    }

    @Test func `a lamp that is renamed is renamed there, and one that is removed leaves nothing`() async throws {
        try await Self.running { programs, broker in
            let desk = try await programs.topic("Desk")
            let config = "homeassistant/device/lightd_home/lightd_\(desk)/config"
            try await until("it is there") { try await broker.kept(config)[config] != nil }
            #expect(try await programs.lightctl("rename", "desk", "Table").status == 0)
            try await until("it is renamed") {
                try await broker.kept(config)[config]?.contains(#""name":"Table""#) == true
            }
            for topic in [
                "zigbee2mqtt/lamp", "homeassistant/light/other/x/config", "homeassistant/device/lightd_cabin/x/config",
            ] {
                try await broker.publish(topic, "theirs", "-r")
            }
            let app = try await OtherApp(pairedWith: programs.bridge, over: programs.http)
            let light = try #require(try await programs.light("Table").id.split(separator: "/").last.map(String.init))
            try await app.delete("device", try await app.owner(of: light))
            try await until("it is gone") { try await !broker.kept("#").keys.contains { $0.contains(desk) } }
            let kept = try await broker.kept("#")
            #expect(
                kept["zigbee2mqtt/lamp"] == "theirs" && kept["homeassistant/device/lightd_cabin/x/config"] == "theirs")
            #expect(kept["homeassistant/light/other/x/config"] == "theirs")
        }
    }

    @Test func `when the broker is back it learns what it has missed, and meanwhile nobody notices`() async throws {
        try await Self.running { programs, broker in
            let desk = try await programs.topic("Desk")
            try await until("it is there") { try await broker.kept("#")["lightd/home/light/\(desk)"] != nil }
            try await broker.stop()
            do {
                try await until("doctor says it") {
                    try await programs.lightctl("doctor").output.contains("mqtt")
                        && programs.lightd.errors.contains("MQTT: no connection to")
                }
                #expect(try await programs.lightctl("off", "desk", "--wait").status == 0)
                #expect(try await programs.lightctl("on", "desk", "--wait").status == 0)
                #expect(try await programs.lightctl("dim", "desk", "1%", "--wait").status == 0)
            }
            try await broker.start()
            try await until("it is told") {
                try await broker.kept("#")["lightd/home/light/\(desk)"]?.contains(#""brightness":4,"#) == true
            }
            #expect(programs.lightd.errors.ranges(of: "MQTT: no connection to").count == 1, "one calm line")
            #expect(try await broker.kept("#")["lightd/home/status"] == "online")
        }
    }

    @Test func `a wrong certificate and a wrong password are said, and a reload mends them`() async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let broker = BrokerProcess(at: place)
        let elsewhere = try TemporaryDirectory()
        defer { elsewhere.remove() }
        let (ours, others) = (try await CertificateFiles(in: place), try await CertificateFiles(in: elsewhere))
        try place.write("names", "subjectAltName=IP:\(broker.host)\n")
        try await ours.openssl(
            "req -new -subj /CN=broker -out request -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout b.key")
        try await ours.openssl(
            "x509 -req -in request -CA root.pem -CAkey root.key -CAcreateserial -extfile names -out b.pem")
        _ = try await Program.run(
            .at("/usr/bin/mosquitto_passwd"), ["-c", "-b", place.path + "/users", "lightd", "right"])
        try await broker.start(
            """
            listener 8883 \(broker.host)
            certfile \(place.path)/b.pem
            keyfile \(place.path)/b.key
            allow_anonymous false
            password_file \(place.path)/users
            """)
        defer { broker.kill() }
        func configuration(_ root: String, _ password: String) throws -> String {
            let file = try place.write("password", password + "\n", mode: 0o600)
            return
                "mqtt: {broker: mqtts://\(broker.host), user: lightd, password_file: \(file), tls: {authority: \(root)}}\n"
        }
        try await ProgramsFixture.running(
            home: Self.home, configuration: try configuration(others.root, "right")
        ) { programs in
            func becomes(_ words: String) async throws {
                try await until(words) { try await programs.lightctl("doctor").output.contains(words) }
            }
            func reload(_ text: String) throws {
                try programs.place.write("lightd.yaml", text)
                programs.lightd.signal(SIGHUP)
            }
            try await becomes("certificate verify failed")
            #expect(try await programs.lightctl("doctor").status == 3)
            #expect(try await programs.lightctl("status").output.contains("not connected"))
            try reload(try configuration(ours.root, "wrong"))
            try await becomes("the broker refuses us")
            try reload(try configuration(ours.root, "right"))
            try await becomes("connected to \(broker.host):8883, which keeps")
            #expect(!programs.lightd.errors.contains("right"), "no password in the log")
        }
    }

    @Test func `two homes on one broker leave each other alone, and one of them over the other's access is refused`()
        async throws
    {
        try await Self.running { programs, broker in
            let desk = try await programs.topic("Desk")
            try await until("the first is there") { try await broker.kept("#")["lightd/home/light/\(desk)"] != nil }
            let before = try await broker.kept("lightd/home/#")
            let configuration =
                "mqtt: {broker: mqtt://\(broker.host), site: cabin, allow: look, discovery: component}\n"
            try await ProgramsFixture.running(home: Self.home, configuration: configuration) { cabin in
                #expect(try await cabin.lightctl("pair").status == 0)
                try await until("the second is there") {
                    try await broker.kept("lightd/cabin/#").keys.contains { $0.hasPrefix("lightd/cabin/light/") }
                }
                let light = try await cabin.topic("Desk")
                let errors = try broker.follow("lightd/cabin/error")
                defer { errors.signal(SIGKILL) }
                try await until("it is refused") {
                    try await broker.publish("lightd/cabin/light/\(light)/set", "OFF")
                    return !errors.lines.isEmpty
                }
                #expect(errors.lines[0].contains("not_allowed") && errors.lines[0].contains("mqtt.allow"))
                #expect(try await cabin.light("Desk").power == .on)
                let configs = try await broker.kept("homeassistant/#").keys
                #expect(configs.contains { $0.hasPrefix("homeassistant/light/lightd_cabin/") })
            }
            #expect(try await broker.kept("lightd/cabin/status")["lightd/cabin/status"] == "offline")
            #expect(try await broker.kept("lightd/home/#") == before)
        }
    }

    private static let home = """
        rooms:
          - name: Living
            lights:
              - { name: Desk, kind: color, on: true, mirek: 250 }
              - { name: Fan, kind: plug, on: true }
        """

    private static func running(_ body: (ProgramsFixture, BrokerProcess) async throws -> Void) async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let broker = BrokerProcess(at: place)
        try await broker.start()
        defer { broker.kill() }
        try await ProgramsFixture.running(home: home, configuration: "mqtt: {broker: mqtt://\(broker.host)}\n") {
            programs in
            let paired = try await programs.lightctl("pair")
            #expect(paired.status == 0, "\(paired)")
            try await until("the lights are there") { try await programs.lightctl("list").output.contains("Desk") }
            try await body(programs, broker)
        }
        try await until("lightd says that it is gone") { try await broker.kept("#")["lightd/home/status"] == "offline" }
    }
}

extension ProgramsFixture {
    /// The part of a topic that is a light's id.
    fileprivate func topic(_ name: String) async throws -> String {
        try await light(name).id.replacing("/", with: "-")
    }
}

extension OtherApp {
    /// The device of a light.
    fileprivate func owner(of light: String) async throws -> String {
        let text = try await get("light", light)
        guard let owner = text.firstMatch(of: /"owner":\{"rid":"([^"]+)"/)?.1 else { throw TestError(text) }
        return String(owner)
    }
}
