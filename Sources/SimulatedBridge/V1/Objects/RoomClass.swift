/// The classes of rooms in API v1, and the archetypes of API v2: "Living room" is "living_room".
enum RoomClass {
    static let all = [
        "Living room", "Kitchen", "Dining", "Bedroom", "Kids bedroom", "Bathroom", "Nursery", "Recreation", "Office",
        "Gym", "Hallway", "Toilet", "Front door", "Garage", "Terrace", "Garden", "Driveway", "Carport", "Other", "Home",
        "Downstairs", "Upstairs", "Top floor", "Attic", "Guest room", "Staircase", "Lounge", "Man cave", "Computer",
        "Studio", "Music", "TV", "Reading", "Closet", "Storage", "Laundry room", "Balcony", "Porch", "Barbecue", "Pool",
    ]

    private static let names = Dictionary(all.map { (archetype(of: $0), $0) }) { first, _ in first }

    static func archetype(of name: String) -> String {
        String(name.lowercased().map { $0 == " " ? "_" : $0 })
    }

    /// "Other" for an archetype that API v1 does not have.
    static func name(of archetype: String) -> String { names[archetype] ?? "Other" }
}
