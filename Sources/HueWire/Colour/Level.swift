/// The grid of levels. A lamp has 254 steps, `bri` 1…254; bridges report them as (bri − 1) / 253 in per cent, so that
/// a written 50 comes back as 49.80 (openhab/openhab-addons#21742).
public enum Level {
    /// The step nearest to a level in per cent. 0 per cent is step 1, because the lowest level is not off.
    public static func bri(percent: Double) -> Int {
        // NaN is not above 0 either.
        1 + Int(((percent > 0 ? min(percent, 100) : 0) * 2.53).rounded())
    }

    /// The level in per cent as bridges report it: two decimals.
    public static func percent(bri: Int) -> Double {
        (Double(min(max(bri, 1), 254) - 1) / 253 * 10_000).rounded() / 100
    }
}
