/// The version that `lightd`, `lightctl` and `/v1/status` name. All programs of one build bear the same.
public enum Release {
    public static let version = "0.1.0"
}
