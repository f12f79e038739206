import HueWire

/// API v2: decides what a PUT, a POST or a DELETE does to the home. A GET is answered from the ``DocumentCache``.
enum V2API {
    struct Request: Sendable {
        let method: String
        let type: ResourceType
        /// Absent if something is to be created.
        var id: ResourceID?
        var body: [UInt8] = []
        var key: String?
    }

    /// A request whose type knows the method and whose body is JSON.
    struct Call: Sendable {
        let type: ResourceType
        /// The resource; a new id if something is to be created.
        let id: ResourceID
        let fields: V2Body
        let context: DecisionContext
        let key: String?

        var home: SimulatedHome { context.home }

        /// Refuses properties that are not in the schema of this call; `type` is always allowed.
        func only(_ known: Set<String>) throws(V2Failure) { try fields.only(known.union(["type"])) }

        /// Succeeds; with errors about single attributes the status is 207.
        func done(_ changes: [SimulatedHome.Change], radio: [RadioMessage] = [], errors: [HueError] = []) -> Decision {
            Decision(
                changes: changes, radio: radio,
                .envelope(errors.isEmpty ? 200 : 207, data: [.reference(id, type)], errors: errors))
        }
    }

    typealias Operation = @Sendable (Call) throws(V2Failure) -> Decision

    static func cost(of request: Request) -> Cost {
        switch (request.method, request.type) {
        case ("PUT", .light): .light
        case ("PUT", .groupedLight), ("PUT", .scene): .group
        default: .nothing
        }
    }

    static func decide(_ request: Request, in context: DecisionContext) -> Decision {
        do throws(V2Failure) {
            guard let operation = operation(request) else { throw .notAllowed }
            var body: JSONValue = [:]
            if request.method != "DELETE" {
                guard let value = JSONValue(wire: request.body) else { throw V2Failure("body is not JSON") }
                body = value
            }
            let id = request.id ?? context.newID(request.type)
            return try operation(
                Call(type: request.type, id: id, fields: V2Body(body), context: context, key: request.key))
        } catch {
            return Decision(error.response)
        }
    }

    /// The operation for a method and a type; `nil` if the type does not know the method.
    // swift-format-ignore
    private static func operation(_ request: Request) -> Operation? {
        switch (request.method, request.type.rawValue, request.id == nil) {
        case ("PUT"   , "light"                      , false): putLight
        case ("PUT"   , "grouped_light"              , false): putGroupedLight
        case ("PUT"   , "device"                     , false): putDevice
        case ("PUT"   , "room"                       , false): putGroup
        case ("PUT"   , "zone"                       , false): putGroup
        case ("PUT"   , "scene"                      , false): putScene
        case ("PUT"   , "smart_scene"                , false): putSmartScene
        case ("PUT"   , "entertainment_configuration", false): putEntertainment
        case ("PUT"   , "motion"                     , false): putSensor
        case ("PUT"   , "light_level"                , false): putSensor
        case ("PUT"   , "temperature"                , false): putSensor
        case ("PUT"   , "contact"                    , false): putSensor
        case ("PUT"   , "motion_area_configuration"  , false): putMotionArea
        case ("PUT"   , "convenience_area_motion"    , false): putAreaMotion
        case ("PUT"   , "security_area_motion"       , false): putAreaMotion
        case ("PUT"   , "behavior_instance"          , false): putBehavior
        case ("PUT"   , "geofence_client"            , false): putGeofence
        case ("PUT"   , "service_group"              , false): putServiceGroup
        case ("PUT"   , "geolocation"                , false): putGeolocation
        case ("PUT"   , "zigbee_device_discovery"    , false): putDiscovery
        case ("PUT"   , "homekit"                    , false): putFabric
        case ("PUT"   , "matter"                     , false): putFabric
        case ("POST"  , "room"                       , true ): postGroup
        case ("POST"  , "zone"                       , true ): postGroup
        case ("POST"  , "scene"                      , true ): postScene
        case ("POST"  , "smart_scene"                , true ): postSmartScene
        case ("POST"  , "entertainment_configuration", true ): postEntertainment
        case ("POST"  , "behavior_instance"          , true ): postBehavior
        case ("POST"  , "geofence_client"            , true ): postGeofence
        case ("POST"  , "service_group"              , true ): postServiceGroup
        case ("DELETE", "device"                     , false): deleteDevice
        case ("DELETE", "room"                       , false): deleteGroup
        case ("DELETE", "zone"                       , false): deleteGroup
        case ("DELETE", "scene"                      , false): deleteScene
        case ("DELETE", "smart_scene"                , false): deleteStored
        case ("DELETE", "entertainment_configuration", false): deleteEntertainment
        case ("DELETE", "behavior_instance"          , false): deleteStored
        case ("DELETE", "geofence_client"            , false): deleteStored
        case ("DELETE", "service_group"              , false): deleteStored
        // None ever exists, as a simulated bridge cannot be commissioned: the answer is always 404.
        case ("DELETE", "matter_fabric"              , false): deleteStored
        default: nil
        }
    }
}

extension V2API.Call {
    /// The stored document of the call's id.
    func stored() throws(V2Failure) -> JSONValue {
        guard let document = home.storedResource(id), document["type"]?.string == type.rawValue else { throw .notFound }
        return document
    }

    /// Stores a new document if there is room.
    func store(_ document: JSONValue) throws(V2Failure) -> Decision {
        let count = home.storedResources.filter { $0.document["type"]?.string == type.rawValue }.count
        guard count < Capacity.storedResources else { throw .full(type.rawValue) }
        let identity: JSONValue = ["type": .string(type.rawValue), "id": .id(id)]
        return done([.adding(.stored(id, identity.merging(document.object ?? [:])))])
    }
}

extension V2API {
    static let deleteStored: Operation = { call throws(V2Failure) in
        _ = try call.stored()
        return call.done([.removing(.stored(call.id))])
    }
}

/// An error response of API v2; nothing is changed.
struct V2Failure: Error, Equatable {
    let status: Int
    let description: String

    /// The body breaks the schema and is refused as a whole (home-assistant/core#61584).
    init(_ words: String) { self.init(400, "Invalid Request: \(words)") }

    private init(_ status: Int, _ description: String) {
        self.status = status
        self.description = description
    }

    static func unknown(_ property: String) -> Self {
        Self("Property [\(property)] cannot be specified for this request type")
    }

    static func missing(_ path: String) -> Self { Self("\(path) is missing or of the wrong type") }

    static let notFound = Self(404, "Not Found")
    static let notAllowed = Self(405, "Method not allowed")
    static let broken = Self(500, "Internal error")
    static let noTriggers = Self(400, "The instance doesn't support triggers.")
    static func conflict(_ words: String) -> Self { Self(409, words) }
    static func full(_ what: String) -> Self { Self(507, "No space for another \(what)") }

    var response: BridgeResponse {
        .envelope(status, errors: [HueError(description, code: status >= 500 ? "internal_error" : "client_error")])
    }
}

/// Errors about single attributes, while the rest of the request succeeds (status 207).
extension HueError {
    static func unsupported(_ attribute: String, by id: ResourceID) -> Self {
        Self("attribute (\(attribute)) is not supported by resource \(id)", code: "client_error")
    }

    /// The lamp may not have received the command.
    static func communication(with type: String, _ id: String, _ attribute: String) -> Self {
        Self(
            "device (\(type)) \(id) has communication issues, command (\(attribute)) may not have effect",
            code: "communication_error")
    }
}

extension ResourceType {
    /// The types that current bridges have a path for (home-assistant-libs/aiohue, `resource.py`), even if this home
    /// has no resource of that type.
    static let served: Set = [
        "behavior_instance", "behavior_script", "bell_button", "bridge", "bridge_home", "button", "camera_motion",
        "clip", "contact", "convenience_area_motion", "device", "device_power", "device_software_update",
        "entertainment",
        "entertainment_configuration", "geofence_client", "geolocation", "grouped_light", "grouped_light_level",
        "grouped_motion", "homekit", "light", "light_level", "matter", "matter_fabric", "motion",
        "motion_area_configuration", "relative_rotary", "room", "scene", "security_area_motion", "service_group",
        "smart_scene", "speaker", "switch_input_configuration", "tamper", "temperature", "wifi_connectivity",
        "zgp_connectivity", "zigbee_connectivity", "zigbee_device_discovery", "zone",
    ]
}
