extension Language {
    /// Short sentences, things by their household names, the reader as "du". A test finds a key that no text has, and a
    /// text that has no key.
    static let germanWords: [String: String] = [
        "All lights": "Alle Lampen",
        "changed": "geändert", "dynamic": "bewegt", "Scene": "Szene", "through the day": "über den Tag",
    ]
}
