import CMosquitto
public import CoreMetrics
import Executors
import Glibc
import Synchronization

/// A connection to a broker, which is made again whenever it is lost. libmosquitto speaks the protocol; the thread, the
/// loop and the waiting are ours: libmosquitto's own loop ends without a word at a certificate that is wrong, resolves
/// names while its caller waits, and queues without a bound.
///
/// Each attempt begins with nothing: no session that the broker kept, no message of before.
public final class MQTTConnection: Sendable {
    /// What happens, in this order, on the connection's own thread.
    public enum Event: Equatable, Sendable {
        /// - Parameter isVersion5: whether the broker speaks MQTT 5; with 3.1.1 messages have no properties.
        case connected(isVersion5: Bool)
        /// The broker has answered to ``subscribe(_:)``.
        ///
        /// - Parameter refused: those that it does not allow.
        case subscribed([String], refused: [String])
        /// The broker does not keep what was published on this topic.
        ///
        /// - Parameters:
        ///   - correlation: of the message.
        ///   - isDenied: whether that is because it may not publish there.
        case rejected(topic: String, correlation: [UInt8]?, reason: String, isDenied: Bool)
        /// A message is longer than the settings allow, and was not read.
        case tooLong(topic: String, bytes: Int)
        /// To be answered with ``taken(_:)`` once it has been dealt with: until then no more than a few are read.
        case message(MQTTMessage)
        case lost(Loss)
    }

    /// Why there is no connection.
    public struct Loss: Error, Equatable, CustomStringConvertible {
        public let description: String
        /// Whether somebody must change something: a wrong password, a wrong certificate.
        public let isFinal: Bool

        public init(_ description: String, isFinal: Bool = false) {
            (self.description, self.isFinal) = (description, isFinal)
        }
    }

    private struct State {
        var outbox = MQTTOutbox()
        var subscriptions: [(filters: [String], quality: MQTTMessage.Quality)] = []
        var unsubscriptions: [[String]] = []
        var isConnected = false
        /// The last messages, if it has been stopped.
        var farewell: [MQTTMessage]?
        /// Who waits for the end.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isEnded = false
        /// Messages that nobody has dealt with yet, each with one more for each ``MQTTConnection/block`` of its size.
        var inHand = 0
    }

    /// As many short messages are read ahead of those that were dealt with.
    private static let readAhead = 256
    private static let block = 16 * 1024
    /// At rest the thread wakes to see whether a sign of life is due.
    private static let rest = Duration.seconds(15)
    private static let connectTimeout = Duration.seconds(20)

    private let settings: MQTTSettings
    private let published: Counter?
    private let hear: @Sendable (Event) -> Void
    private let state = Mutex(State())
    private let wakeup: WakeupDescriptor

    /// - Parameters:
    ///   - published: counts the messages that are sent.
    ///   - hear: is called on the connection's own thread, and must not wait.
    /// - Throws: ``Loss`` if no descriptor is left.
    public init(
        _ settings: MQTTSettings, published: Counter? = nil, hear: @escaping @Sendable (Event) -> Void
    ) throws(Loss) {
        self.settings = settings
        self.published = published
        self.hear = hear
        do throws(WakeupError) {
            wakeup = try WakeupDescriptor()
        } catch {
            throw Loss("no descriptor is left: \(String(cString: strerror(error.code)))")
        }
    }

    /// Starts the thread, which holds this object until it is stopped.
    ///
    /// - Throws: ``Loss`` if there is no thread to be had.
    public func start() throws(Loss) {
        mosquitto_lib_init()
        let code = startThread("lightd-mqtt") { [self] in run() }
        guard code == 0 else { throw Loss("there is no thread for it: \(String(cString: strerror(code)))") }
    }

    /// Ends the connection. Returns when it is closed, also if the task is cancelled; an attempt to make one is not waited
    /// for.
    ///
    /// - Parameter farewell: the last messages; without acknowledgement, so that none waits for another's.
    public func stop(after farewell: [MQTTMessage] = []) async {
        let isConnected = state.withLock { state in
            state.farewell = farewell
            return state.isConnected
        }
        wake()
        guard isConnected else { return }
        await withCheckedContinuation { continuation in
            let isEnded = state.withLock { state in
                if !state.isEnded { state.waiting.append(continuation) }
                return state.isEnded
            }
            if isEnded { continuation.resume() }
        }
    }

    private func ended() {
        let waiting = state.withLock { state in
            state.isEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// How many messages wait to be sent.
    public var waiting: Int { state.withLock { $0.outbox.waiting } }

    /// - Returns: `false` if there is no connection, or no room: then it is not published.
    @discardableResult
    public func publish(_ messages: [MQTTMessage]) -> Bool {
        let isTaken = state.withLock { state in
            state.isConnected && messages.reduce(true) { state.outbox.put($1) && $0 }
        }
        wake()
        return isTaken
    }

    /// Subscribes to these filters while the connection lasts.
    public func subscribe(_ filters: [String], quality: MQTTMessage.Quality = .atLeastOnce) {
        state.withLock { if $0.isConnected { $0.subscriptions.append((filters, quality)) } }
        wake()
    }

    public func unsubscribe(_ filters: [String]) {
        state.withLock { if $0.isConnected { $0.unsubscriptions.append(filters) } }
        wake()
    }

    /// A message that was heard has been dealt with.
    public func taken(_ message: MQTTMessage) {
        let mayGoOn = state.withLock { state in
            let hadRoom = state.inHand < Self.readAhead
            state.inHand -= Self.weight(of: message)
            return !hadRoom && state.inHand < Self.readAhead
        }
        if mayGoOn { wake() }
    }

    private static func weight(of message: MQTTMessage) -> Int { 1 + message.size / block }

    private func wake() { wakeup.signal() }

    // MARK: - On the thread

    private func run() {
        defer { ended() }
        var backoff = MQTTBackoff()
        var version = MQTT_PROTOCOL_V5
        var knowsOnlyOld = false
        while !isStopped {
            let attempt = Attempt(version: version, owner: self)
            let loss = attempt.run(settings)
            if attempt.wasConnected { backoff.succeeded() }
            state.withLock { state in
                (state.outbox, state.subscriptions, state.unsubscriptions) = (MQTTOutbox(), [], [])
                state.isConnected = false
            }
            guard !isStopped else { return }
            // A broker that knows only MQTT 3.1.1 says so, or hangs up; but whoever hangs up may only be starting.
            if attempt.isTooNew {
                (version, knowsOnlyOld) = (MQTT_PROTOCOL_V311, true)
                continue
            }
            if !knowsOnlyOld {
                version = version == MQTT_PROTOCOL_V5 && attempt.wasHungUp ? MQTT_PROTOCOL_V311 : MQTT_PROTOCOL_V5
            }
            hear(.lost(loss))
            let end = ContinuousClock.now + backoff.next(isFinal: loss.isFinal, chance: .random(in: 0...1))
            while !isStopped, ContinuousClock.now < end { _ = wakeup.wait(with: [], until: end) }
        }
    }

    private var isStopped: Bool { state.withLock { $0.farewell != nil } }

    /// One connection, from its beginning to its end. Used on the thread alone.
    private final class Attempt {
        private let owner: MQTTConnection
        private let version: CInt
        /// Why the broker did not let us in, or ended the connection.
        private var refusal: Loss?
        /// What libmosquitto has said of its last error: its codes do not tell which certificate is wrong.
        private var words: String?
        private(set) var wasConnected = false
        private(set) var isTooNew = false
        /// The broker hung up before it had said anything.
        private(set) var wasHungUp = false
        private var subscriptions: [CInt: [String]] = [:]
        private var progress = ContinuousClock.now
        private var begun = ContinuousClock.now

        init(version: CInt, owner: MQTTConnection) { (self.version, self.owner) = (version, owner) }

        func run(_ settings: MQTTSettings) -> Loss {
            guard let handle = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(self).toOpaque()) else {
                return Loss("there is no memory for it")
            }
            defer { mosquitto_destroy(handle) }
            if let failure = configure(handle, settings) { return failure }
            listen(handle)
            let code = connect(handle, settings)
            guard code == MOSQ_ERR_SUCCESS.rawValue else { return loss(code) }
            begun = .now
            progress = begun
            while true {
                if let farewell = owner.state.withLock({ $0.farewell }) {
                    leave(handle, farewell)
                    return Loss("stopped")
                }
                guard wasConnected || ContinuousClock.now < begun + MQTTConnection.connectTimeout else {
                    return Loss("the broker does not answer")
                }
                if wasConnected, let failure = send(handle) { return failure }
                let code = step(
                    handle, atMost: wasConnected ? min(MQTTConnection.rest, settings.patience) : .seconds(1))
                guard code == MOSQ_ERR_SUCCESS.rawValue else {
                    wasHungUp = !wasConnected && refusal == nil && code == MOSQ_ERR_CONN_LOST.rawValue
                    return loss(code)
                }
            }
        }

        private func connect(_ handle: OpaquePointer, _ settings: MQTTSettings) -> CInt {
            var properties: OpaquePointer?
            defer { mosquitto_property_free_all(&properties) }
            // libmosquitto has room for a whole message before it is known what it is. Topic and properties come on top.
            if version == MQTT_PROTOCOL_V5 {
                _ = mosquitto_property_add_int32(
                    &properties, CInt(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue),
                    UInt32(clamping: settings.longestPayload + 256 * 1024))
            }
            return mosquitto_connect_bind_v5(
                handle, settings.host, CInt(settings.port), CInt(settings.keepAlive), nil, properties)
        }

        /// Reads and writes what there is.
        private func step(_ handle: OpaquePointer, atMost time: Duration) -> CInt {
            let socket = mosquitto_socket(handle)
            guard socket >= 0 else { return MOSQ_ERR_CONN_LOST.rawValue }
            let hasRoom = owner.state.withLock { $0.inHand < MQTTConnection.readAhead }
            let events = (hasRoom ? POLLIN : 0) | (mosquitto_want_write(handle) ? POLLOUT : 0)
            let ready = owner.wakeup.wait(with: [(socket, events)], until: .now + time)
            if ready[0] & (POLLIN | POLLHUP | POLLERR) != 0 {
                let code = mosquitto_loop_read(handle, 1)
                if code != MOSQ_ERR_SUCCESS.rawValue { return code }
            }
            if mosquitto_want_write(handle) {
                let code = mosquitto_loop_write(handle, 1)
                if code != MOSQ_ERR_SUCCESS.rawValue { return code }
                // What is long takes its time on a slow line; it is acknowledged when all of it has come.
                if ready[0] & POLLOUT != 0 { progress = .now }
            }
            return mosquitto_loop_misc(handle)
        }

        /// Hands over what waits, as far as the broker keeps up.
        private func send(_ handle: OpaquePointer) -> Loss? {
            let (subscribing, unsubscribing) = owner.state.withLock { state in
                defer { (state.subscriptions, state.unsubscriptions) = ([], []) }
                return (state.subscriptions, state.unsubscriptions)
            }
            for filters in unsubscribing {
                let code = withCStrings(filters) {
                    mosquitto_unsubscribe_multiple(handle, nil, CInt(filters.count), $0, nil)
                }
                if code != MOSQ_ERR_SUCCESS.rawValue { return loss(code) }
            }
            for (filters, quality) in subscribing {
                var number: CInt = 0
                let code = withCStrings(filters) {
                    mosquitto_subscribe_multiple(handle, &number, CInt(filters.count), $0, quality.rawValue, 0, nil)
                }
                if code != MOSQ_ERR_SUCCESS.rawValue { return loss(code) }
                subscriptions[number] = filters
            }
            while let message = owner.state.withLock({ $0.outbox.next() }) {
                if owner.state.withLock({ $0.outbox.unacknowledgedCount == 0 }) { progress = .now }
                let (code, number) = publish(handle, message)
                if code == MOSQ_ERR_PAYLOAD_SIZE.rawValue || code == MOSQ_ERR_OVERSIZE_PACKET.rawValue {
                    owner.hear(
                        .rejected(
                            topic: message.topic, correlation: message.correlation,
                            reason: "it is longer than the broker takes", isDenied: false))
                    continue
                }
                if code != MOSQ_ERR_SUCCESS.rawValue { return loss(code) }
                owner.published?.increment()
                owner.state.withLock { $0.outbox.sent(message, as: number) }
            }
            guard owner.state.withLock({ $0.outbox.unacknowledgedCount > 0 }),
                ContinuousClock.now > progress + owner.settings.patience
            else { return nil }
            return Loss("the broker has acknowledged nothing for \(owner.settings.patience)")
        }

        private func publish(_ handle: OpaquePointer, _ message: MQTTMessage) -> (code: CInt, number: CInt) {
            var properties: OpaquePointer?
            defer { mosquitto_property_free_all(&properties) }
            if version == MQTT_PROTOCOL_V5 {
                if let topic = message.responseTopic {
                    _ = mosquitto_property_add_string(&properties, CInt(MQTT_PROP_RESPONSE_TOPIC.rawValue), topic)
                }
                if let correlation = message.correlation {
                    _ = mosquitto_property_add_binary(
                        &properties, CInt(MQTT_PROP_CORRELATION_DATA.rawValue), correlation,
                        UInt16(clamping: correlation.count))
                }
                for property in message.userProperties {
                    _ = mosquitto_property_add_string_pair(
                        &properties, CInt(MQTT_PROP_USER_PROPERTY.rawValue), property.name, property.value)
                }
            }
            var number: CInt = 0
            let code = mosquitto_publish_v5(
                handle, &number, message.topic, CInt(message.payload.count), message.payload, message.quality.rawValue,
                message.isRetained, properties)
            return (code, number)
        }

        /// Says farewell, and hangs up in order, so that the broker publishes no will. Does not wait longer
        /// for a slow broker than a stop of lightd may take (`LightDaemon.shutdownLimit`, 0.9 s).
        private func leave(_ handle: OpaquePointer, _ farewell: [MQTTMessage]) {
            if wasConnected {
                for var message in farewell {
                    message.quality = .atMostOnce
                    _ = publish(handle, message)
                }
            }
            _ = mosquitto_disconnect_v5(handle, 0, nil)
            let end = ContinuousClock.now + .milliseconds(400)
            while mosquitto_socket(handle) >= 0, mosquitto_want_write(handle), ContinuousClock.now < end {
                if step(handle, atMost: .milliseconds(100)) != MOSQ_ERR_SUCCESS.rawValue { return }
            }
        }

        // MARK: Settings

        /// - Returns: what of the settings cannot be used.
        private func configure(_ handle: OpaquePointer, _ settings: MQTTSettings) -> Loss? {
            _ = mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version)
            _ = mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
            _ = mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, CInt(MQTTOutbox.window))
            if let will = settings.will {
                let code = mosquitto_will_set_v5(
                    handle, will.topic, CInt(will.payload.count), will.payload, will.quality.rawValue, will.isRetained,
                    nil)
                if code != MOSQ_ERR_SUCCESS.rawValue { return loss(code) }
            }
            if let user = settings.user {
                let code = mosquitto_username_pw_set(handle, user, settings.password)
                if code != MOSQ_ERR_SUCCESS.rawValue { return loss(code) }
            }
            guard let tls = settings.tls else { return nil }
            if tls.authority == nil { _ = mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1) }
            if tls.authority != nil || tls.certificate != nil {
                let code = mosquitto_tls_set(
                    handle, tls.authority, tls.authority == nil ? "/etc/ssl/certs" : nil, tls.certificate, tls.key, nil)
                guard code == MOSQ_ERR_SUCCESS.rawValue else {
                    return Loss(
                        "the files of TLS cannot be used: \(Self.text(mosquitto_strerror(code)))", isFinal: true)
                }
            }
            _ = mosquitto_tls_opts_set(handle, 1, "tlsv1.2", nil)
            return nil
        }

        private func loss(_ code: CInt) -> Loss {
            if let refusal { return refusal }
            // Read first: whatever is called next may set it.
            let number = errno
            let reason =
                switch code {
                // So comes a broker's alert about our certificate, by TLS 1.3.
                case MOSQ_ERR_ERRNO.rawValue where isOfTLS(code, number): "TLS: " + (words ?? "")
                case MOSQ_ERR_ERRNO.rawValue: Self.text(strerror(number))
                case MOSQ_ERR_EAI.rawValue: "its name cannot be resolved"
                case MOSQ_ERR_TLS.rawValue:
                    "TLS: " + (words ?? "the broker does not speak it, or its certificate is not trusted")
                default: words ?? Self.text(mosquitto_strerror(code))
                }
            return Loss(reason, isFinal: code == MOSQ_ERR_TLS.rawValue || isOfTLS(code, number))
        }

        private func isOfTLS(_ code: CInt, _ number: CInt) -> Bool {
            code == MOSQ_ERR_ERRNO.rawValue && number == EPROTO && owner.settings.tls != nil && words != nil
        }

        private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
            var text = pointer.map { String(cString: $0) } ?? "unknown"
            while text.last == "." { text.removeLast() }
            return text
        }

        // MARK: What libmosquitto calls

        private func listen(_ handle: OpaquePointer) {
            mosquitto_log_callback_set(handle) { _, context, level, text in
                guard level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING else { return }
                Attempt.of(context)?.words = Attempt.text(text)
            }
            mosquitto_connect_v5_callback_set(handle) { _, context, code, _, _ in Attempt.of(context)?.connected(code) }
            mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
                Attempt.of(context)?.disconnected(code)
            }
            mosquitto_subscribe_v5_callback_set(handle) { _, context, number, count, granted, _ in
                Attempt.of(context)?.subscribed(
                    number, UnsafeBufferPointer(start: granted, count: Int(count)).map(\.self))
            }
            mosquitto_publish_v5_callback_set(handle) { _, context, number, reason, _ in
                Attempt.of(context)?.acknowledged(number, reason)
            }
            mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
                guard let message else { return }
                Attempt.of(context)?.arrived(message.pointee, properties)
            }
        }

        private static func of(_ context: UnsafeMutableRawPointer?) -> Attempt? {
            context.map { Unmanaged<Attempt>.fromOpaque($0).takeUnretainedValue() }
        }

        private func connected(_ code: CInt) {
            guard code != 0 else {
                wasConnected = true
                progress = .now
                owner.state.withLock { $0.isConnected = true }
                return owner.hear(.connected(isVersion5: version == MQTT_PROTOCOL_V5))
            }
            isTooNew = version == MQTT_PROTOCOL_V5 && (code == 0x84 || code == 1)
            let words = version == MQTT_PROTOCOL_V5 ? mosquitto_reason_string(code) : mosquitto_connack_string(code)
            // 3.1.1: 4 is a wrong name or password, 5 not allowed. 5: 0x86 and 0x87.
            let isFinal = [4, 5, 0x86, 0x87, 0x85, 2].contains(code)
            refusal = Loss("the broker refuses us: \(Self.text(words))", isFinal: isFinal)
        }

        private func disconnected(_ code: CInt) {
            guard code != 0, refusal == nil, wasConnected else { return }
            switch code {
            case 0x8E:
                // One that is thrown out at once shares the name with another, again and again.
                refusal = Loss(
                    "the broker has let in another client called '\(owner.settings.clientID)': "
                        + "is there a second lightd of this site?",
                    isFinal: ContinuousClock.now < begun + MQTTConnection.rest * 4)
            case 0x80...0xFF: refusal = Loss("the broker hangs up: \(Self.text(mosquitto_reason_string(code)))")
            default: break
            }
        }

        private func subscribed(_ number: CInt, _ granted: [CInt]) {
            guard let filters = subscriptions.removeValue(forKey: number) else { return }
            let refused = zip(filters, granted).filter { $1 >= 0x80 }.map(\.0)
            owner.hear(.subscribed(filters, refused: refused))
        }

        private func acknowledged(_ number: CInt, _ reason: CInt) {
            guard let sent = owner.state.withLock({ $0.outbox.acknowledged(number) }) else { return }
            progress = .now
            // Only MQTT 5 tells.
            guard reason >= 0x80 else { return }
            owner.hear(
                .rejected(
                    topic: sent.topic, correlation: sent.correlation,
                    reason: Self.text(mosquitto_reason_string(reason)),
                    isDenied: reason == CInt(MQTT_RC_NOT_AUTHORIZED.rawValue)))
        }

        private func arrived(_ message: mosquitto_message, _ properties: OpaquePointer?) {
            guard let topic = message.topic else { return }
            guard message.payloadlen <= owner.settings.longestPayload else {
                return owner.hear(.tooLong(topic: String(cString: topic), bytes: Int(message.payloadlen)))
            }
            let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            var heard = MQTTMessage(
                String(cString: topic), Array(bytes), quality: message.qos == 0 ? .atMostOnce : .atLeastOnce,
                isRetained: message.retain)
            heard.read(properties)
            owner.state.withLock { $0.inHand += MQTTConnection.weight(of: heard) }
            owner.hear(.message(heard))
        }
    }
}

extension MQTTMessage {
    fileprivate static let (mostProperties, longestProperty) = (16, 20 * 1024)

    fileprivate mutating func read(_ properties: OpaquePointer?) {
        guard let properties else { return }
        var text: UnsafeMutablePointer<CChar>?
        if mosquitto_property_read_string(properties, CInt(MQTT_PROP_RESPONSE_TOPIC.rawValue), &text, false) != nil {
            responseTopic = text.map { String(cString: $0) }
            free(text)
        }
        var (bytes, count): (UnsafeMutableRawPointer?, UInt16) = (nil, 0)
        if mosquitto_property_read_binary(properties, CInt(MQTT_PROP_CORRELATION_DATA.rawValue), &bytes, &count, false)
            != nil
        {
            correlation = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            free(bytes)
        }
        var (name, value): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
        var next: OpaquePointer? = properties
        var skipsFirst = false
        // Nobody who means well has more, or longer ones.
        while let current = next, userProperties.count < Self.mostProperties {
            next = mosquitto_property_read_string_pair(
                current, CInt(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, skipsFirst)
            guard next != nil else { break }
            if let name, let value, strlen(name) + strlen(value) <= Self.longestProperty {
                userProperties.append(Property(String(cString: name), String(cString: value)))
            }
            free(name)
            free(value)
            skipsFirst = true
        }
    }
}

/// Calls with an array of C strings.
private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Result
) -> Result {
    let copies = texts.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return copies.withUnsafeBufferPointer { body($0.baseAddress) }
}
