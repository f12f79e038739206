/// A number of things in words: "1 light", "3 lights".
///
/// - Parameter plural: by default the singular with an s.
public func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
}
