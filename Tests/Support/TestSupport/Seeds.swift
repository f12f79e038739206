import Foundation

/// Whether laws are to be tried for as long as it takes to find what is rare: `LIGHTD_TEST_LONG=1`.
public let triesForLong = ProcessInfo.processInfo.environment["LIGHTD_TEST_LONG"] == "1"

/// The seeds with which a law is tried: so many in every run, ten times as many with `LIGHTD_TEST_LONG=1`.
public func seeds<Seed: FixedWidthInteger>(_ count: Seed) -> Range<Seed> {
    0..<(triesForLong ? count * 10 : count)
}
