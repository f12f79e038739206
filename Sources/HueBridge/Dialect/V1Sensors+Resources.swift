import HueWire

/// Sensors of API v1 as resources of API v2. Those with the address of one device are its parts; the device has the id of
/// the first of them, "sensors/7", and the name of the one that counts.
extension V1List<V1Sensor> {
    struct Device {
        let id: ResourceID
        var sensors: [Member]
    }

    /// In the order of their first numbers.
    var devices: [Device] {
        var devices: [Device] = []
        var places: [Substring: Int] = [:]
        for sensor in members where sensor.value.kind != nil {
            if let address = sensor.value.device, let place = places[address] {
                devices[place].sensors.append(sensor)
            } else {
                if let address = sensor.value.device { places[address] = devices.count }
                devices.append(Device(id: V1Sensor.device(sensor.id), sensors: [sensor]))
            }
        }
        return devices
    }

    var resources: [Resource] { devices.flatMap(\.resources) }
}

extension V1Sensor {
    /// No light has such an id.
    static func device(_ number: String) -> ResourceID { ResourceID("sensors/\(number)") }
    static func isDevice(_ id: ResourceID) -> Bool { id.description.hasPrefix("sensors/") }

    /// How many buttons a switch has whose bridge does not say: the Tap and the first dimmer.
    private static let usualButtons = 4

    /// - Parameter id: of the sensor; each of its buttons has one of its own.
    fileprivate func parts(_ id: ResourceID, of device: ResourceReference) -> [SensorResource] {
        func part(_ type: ResourceType) -> SensorResource {
            SensorResource(id: id, type: type, owner: device, isEnabled: isEnabled, report: report)
        }
        switch kind {
        case .motion: return [part(.motion)]
        case .contact: return [part(.contact)]
        case .lightLevel: return [part(.lightLevel)]
        case .temperature: return [part(.temperature)]
        case .rotary: return [part(.rotary)]
        case .buttons:
            return (1...max(buttons ?? Self.usualButtons, button ?? 1)).map { number in
                SensorResource(
                    id: ResourceID("\(id)/\(number)"), type: .button, owner: device, isEnabled: isEnabled,
                    control: number, report: number == button ? report : nil)
            }
        case nil: return []
        }
    }

    fileprivate var namesDevice: Bool { isPrimary ?? [.motion, .buttons, .contact].contains(kind) }
}

extension V1List<V1Sensor>.Device {
    fileprivate var resources: [Resource] {
        let device = ResourceReference(id, .device)
        let named = (sensors.first { $0.value.namesDevice } ?? sensors.first)?.value
        var parts = sensors.flatMap { $0.value.parts(V1Sensor.device($0.id), of: device) }
        if let battery = sensors.lazy.compactMap(\.value.battery).first {
            parts.append(
                SensorResource(
                    id: ResourceID("\(id)/power"), type: .devicePower, owner: device,
                    report: SensorReport(.battery(battery), at: nil)))
        }
        let isReachable = sensors.lazy.compactMap(\.value.isReachable).first ?? true
        return [
            .device(
                DeviceResource(
                    id: id, metadata: named?.name.map { Metadata(name: $0) },
                    productData: ProductData(modelID: named?.model, productName: named?.product, softwareVersion: nil),
                    services: parts.map { ResourceReference($0.id, $0.type) })),
            .connectivity(
                ConnectivityResource(
                    id: id, owner: device, status: isReachable ? "connected" : "connectivity_issue")),
        ] + parts.map { .sensor($0) }
    }
}
