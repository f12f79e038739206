/// The version of all programs of one build, as `--version` and `/v1/status` report it.
public enum Release {
    public static let version = "0.1.0"
}
