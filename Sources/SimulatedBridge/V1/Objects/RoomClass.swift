/// What a room is for: API v1 calls "Living room" what API v2 calls "living_room".
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

    /// "Other" for what API v1 has no word for.
    static func name(of archetype: String) -> String { names[archetype] ?? "Other" }
}
