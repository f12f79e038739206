/// A family of metrics: all series with one name. Its raw value is the name in the text format 0.0.4, and the label under
/// which modules emit it through swift-metrics.
///
/// Ids are labels; names stand only in the `_info` families, to which queries join the others. What changes is a value,
/// never a label. Units are base units: ratios from 0 to 1, kelvin, degrees Celsius, lux, seconds.
public enum MetricFamily: String, CaseIterable, Sendable {
    case buildInfo = "lightd_build_info"

    case lightInfo = "lightd_light_info"
    case lightReachable = "lightd_light_reachable"
    case lightOn = "lightd_light_on"
    case lightBrightness = "lightd_light_brightness_ratio"
    case lightTemperature = "lightd_light_color_temperature_kelvin"

    case roomInfo = "lightd_room_info"
    case roomOn = "lightd_room_on"

    case sensorInfo = "lightd_sensor_info"
    case sensorReachable = "lightd_sensor_reachable"
    case sensorBattery = "lightd_sensor_battery_ratio"
    case sensorTemperature = "lightd_sensor_temperature_celsius"
    case sensorIlluminance = "lightd_sensor_illuminance_lux"
    case sensorMotion = "lightd_sensor_motion"
    case sensorContact = "lightd_sensor_contact_open"

    case bridgeInfo = "lightd_bridge_info"
    case bridgeConnected = "lightd_bridge_connected"
    case bridgeEvents = "lightd_bridge_events_total"
    case bridgeLastEvent = "lightd_bridge_last_event_timestamp_seconds"
    case bridgeReconnects = "lightd_bridge_stream_reconnects_total"
    case bridgeRequests = "lightd_bridge_requests_total"
    case bridgeRequestSeconds = "lightd_bridge_request_seconds"
    case queueWaiting = "lightd_queue_waiting"
    case commandsFolded = "lightd_commands_folded_total"

    case commands = "lightd_commands_total"
    case commandSeconds = "lightd_command_seconds"

    case automationEnabled = "lightd_automation_enabled"
    case automationRuns = "lightd_automation_runs_total"
    case automationLastRun = "lightd_automation_last_run_timestamp_seconds"

    case mqttConnected = "lightd_mqtt_connected"
    case mqttPublished = "lightd_mqtt_published_total"
    case mqttOutbox = "lightd_mqtt_outbox"

    case certificateEnd = "lightd_tls_certificate_not_after_timestamp_seconds"

    case processMemory = "process_resident_memory_bytes"
    case processCPU = "process_cpu_seconds_total"
    case processDescriptors = "process_open_fds"
    case processStart = "process_start_time_seconds"

    public enum Kind: Equatable, Sendable {
        case gauge, counter
        /// Always 1: what it says is in its labels.
        case info
        /// How many values are at most as large as each of these bounds, which rise; their sum and their number.
        case histogram(bounds: [Double])
    }

    public var kind: Kind { row.kind }
    /// One line of plain text, without quotation marks and backslashes: both formats write it as it is.
    public var help: String { row.help }

    private static let seconds = Kind.histogram(bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

    private var row: (kind: Kind, help: String) {
        switch self {
        case .buildInfo: (.info, "The version of lightd.")
        case .lightInfo:
            (.info, "The name of a light, its room and bridge, and what it can do: color, white, dimmable or on_off.")
        case .lightReachable:
            (
                .gauge,
                "1 if what is known of a light is up to date, 0 if its bridge does not reach it or is lost itself."
            )
        case .lightOn: (.gauge, "1 if a light is on. Absent while the light cannot be reached.")
        case .lightBrightness:
            (
                .gauge,
                "The level of a light, also while it is off: what it shows when it is on. Absent while it cannot be reached."
            )
        case .lightTemperature:
            (.gauge, "The white tone of a light. Absent while it shows a color, or cannot be reached.")
        case .roomInfo: (.info, "The name of a room or zone, which of the two it is, and its bridge.")
        case .roomOn: (.gauge, "1 if one of its lights is known to be on. Absent while none of them can be reached.")
        case .sensorInfo: (.info, "The name of a sensor or switch, its room and bridge, and what its maker calls it.")
        case .sensorReachable:
            (.gauge, "1 if a sensor is heard, 0 if its bridge does not reach it or is lost itself.")
        case .sensorBattery:
            (
                .gauge,
                "The charge of a battery as last reported, also while its sensor is not heard: its battery may be why."
            )
        case .sensorTemperature: (.gauge, "Absent while the sensor is not heard, or disabled.")
        case .sensorIlluminance: (.gauge, "Absent while the sensor is not heard, or disabled.")
        case .sensorMotion: (.gauge, "1 while a sensor sees motion. Absent while it is not heard, or disabled.")
        case .sensorContact: (.gauge, "1 while a contact is open. Absent while the sensor is not heard, or disabled.")
        case .bridgeInfo: (.info, "The name of a paired bridge, its model and its firmware.")
        case .bridgeConnected: (.gauge, "1 if lightd is connected to a paired bridge and told of its changes.")
        case .bridgeEvents: (.counter, "Events that a bridge has reported by its event stream.")
        case .bridgeLastEvent:
            (
                .gauge,
                "When a bridge last reported an event. lightd has it report one about every 20 s if nothing happens."
            )
        case .bridgeReconnects:
            (.counter, "How often the event stream of a bridge was followed again after it was lost.")
        case .bridgeRequests:
            (
                .counter,
                "Requests to a bridge by kind (light, group, scene, edit, read, probe, stream) and by HTTP status, or by why there was none."
            )
        case .bridgeRequestSeconds: (Self.seconds, "From a request to a bridge to its answer, by kind.")
        case .queueWaiting: (.gauge, "What waits to be sent to a bridge: lights with new values, and other requests.")
        case .commandsFolded:
            (
                .counter,
                "Requests that a bridge was spared: newer values went in the place of those that waited, or with them, or one request set a whole room."
            )
        case .commands:
            (
                .counter,
                "Commands by who sent them (api, mqtt, switch, automation, timer, following, away) and how they ended: succeeded, or the code of the error."
            )
        case .commandSeconds:
            (
                Self.seconds,
                "From the command of a client or a switch for lights to its outcome, which the bridge decides."
            )
        case .automationEnabled: (.gauge, "1 if an automation is enabled.")
        case .automationRuns:
            (.counter, "Runs of an automation: succeeded, failed, or skipped although they were due.")
        case .automationLastRun: (.gauge, "When an automation last ended a run. Absent if it has never run.")
        case .mqttConnected: (.gauge, "1 if lightd is connected to the MQTT broker. Absent without a broker.")
        case .mqttPublished: (.counter, "Messages sent to the MQTT broker.")
        case .mqttOutbox: (.gauge, "Messages that wait to be sent to the MQTT broker.")
        case .certificateEnd: (.gauge, "When the certificate ends that lightd shows over TLS. Absent without TLS.")
        case .processMemory: (.gauge, "Resident memory of lightd.")
        case .processCPU: (.counter, "Time that lightd has had of processors.")
        case .processDescriptors: (.gauge, "Descriptors that lightd has open.")
        case .processStart: (.gauge, "When lightd was started.")
        }
    }
}
