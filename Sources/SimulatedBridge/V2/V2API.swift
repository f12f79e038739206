import FoundationEssentials
import HueWire

/// API v2: what a PUT, a POST and a DELETE do to the home. Reading needs no decision; the documents tell of the home as it is.
enum V2API {
    struct Request: Sendable {
        let method: String
        let type: ResourceType
        /// Absent where something is to be made.
        var id: ResourceID?
        var body: [UInt8] = []
        /// Whose request it is.
        var key: String?
    }

    /// A request whose method and type are known to go together, and whose body is JSON.
    struct Call: Sendable {
        let type: ResourceType
        /// What it is about; a new id where something is to be made.
        let id: ResourceID
        let fields: V2Body
        let context: DecisionContext
        let key: String?

        var home: SimulatedHome { context.home }

        /// Refuses properties that the schema of this call does not know; `type` may always be repeated.
        func only(_ known: Set<String>) throws(V2Failure) { try fields.only(known.union(["type"])) }

        /// Done, perhaps with a word about some attributes.
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
            guard let deed = deed(request) else { throw .notAllowed }
            var body: JSONValue = [:]
            if request.method != "DELETE" {
                // What is no JSON is answered, not thrown: the client sent it.
                guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(request.body)) else {
                    throw V2Failure("body is not JSON")
                }
                body = value
            }
            let id = request.id ?? context.newID(request.type)
            return try deed(
                Call(type: request.type, id: id, fields: V2Body(body), context: context, key: request.key))
        } catch {
            return Decision(error.response)
        }
    }

    /// What goes with what; `nil` for a verb that the type does not know.
    // swift-format-ignore
    private static func deed(_ request: Request) -> Operation? {
        switch (request.method, request.type.rawValue, request.id == nil) {
        case ("PUT"   , "light"                      , false): putLight
        case ("PUT"   , "grouped_light"              , false): putGroupedLight
        case ("PUT"   , "device"                     , false): putDevice
        case ("PUT"   , "room"                       , false): putGroup
        case ("PUT"   , "zone"                       , false): putGroup
        case ("PUT"   , "scene"                      , false): putScene
        case ("PUT"   , "smart_scene"                , false): putSmartScene
        case ("PUT"   , "entertainment_configuration", false): EntertainmentArea.put
        case ("PUT"   , "motion"                     , false): putSensor
        case ("PUT"   , "light_level"                , false): putSensor
        case ("PUT"   , "temperature"                , false): putSensor
        case ("PUT"   , "contact"                    , false): putSensor
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
        case ("POST"  , "entertainment_configuration", true ): EntertainmentArea.post
        case ("POST"  , "behavior_instance"          , true ): postBehavior
        case ("POST"  , "geofence_client"            , true ): postGeofence
        case ("POST"  , "service_group"              , true ): postServiceGroup
        case ("DELETE", "device"                     , false): deleteDevice
        case ("DELETE", "room"                       , false): deleteGroup
        case ("DELETE", "zone"                       , false): deleteGroup
        case ("DELETE", "scene"                      , false): deleteScene
        case ("DELETE", "smart_scene"                , false): deleteKept
        case ("DELETE", "entertainment_configuration", false): EntertainmentArea.delete
        case ("DELETE", "behavior_instance"          , false): deleteKept
        case ("DELETE", "geofence_client"            , false): deleteKept
        case ("DELETE", "service_group"              , false): deleteKept
        // None is ever there, as nobody commissions a simulated bridge.
        case ("DELETE", "matter_fabric"              , false): deleteKept
        default: nil
        }
    }
}

extension V2API.Call {
    /// The document that is kept under its id.
    func stored() throws(V2Failure) -> JSONValue {
        guard let document = home.storedResource(id), document["type"]?.string == type.rawValue else { throw .notFound }
        return document
    }

    /// Makes something that is kept as it is told, as long as there is place.
    func store(_ document: JSONValue, most: Int = 100) throws(V2Failure) -> Decision {
        guard home.storedResources.filter({ $0.document["type"]?.string == type.rawValue }).count < most else {
            throw .full(type.rawValue)
        }
        let identity: JSONValue = ["type": .string(type.rawValue), "id": .id(id)]
        return done([.adding(.stored(id, identity.merging(document.object ?? [:])))])
    }
}

extension V2API {
    static let deleteKept: Operation = { call throws(V2Failure) in
        _ = try call.stored()
        return call.done([.removing(.stored(call.id))])
    }
}
