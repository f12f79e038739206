public import Logging

extension SimulatedBridge {
    /// Runs a bridge while the body runs, for tests.
    ///
    /// ```swift
    /// try await SimulatedBridge.running { bridge, ready in
    ///     await bridge.controls.pressButton()
    ///     // … and now the client under test, at ready.host and ready.httpsPort
    /// }
    /// ```
    /// - Parameters:
    ///   - settings: defaults to a small flat on free ports of 127.0.0.1.
    ///   - logger: receives warnings; by default they are dropped.
    ///   - body: called when the bridge listens.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws; ``SimulatedBridgeError`` if the bridge cannot listen.
    public static func running<Value>(
        _ settings: Settings = Settings(home: .flat),
        logger: Logger = Logger(label: "SimulatedBridge") { _ in SwiftLogNoOpLogHandler() },
        isolation: isolated (any Actor)? = #isolation,
        _ body: (SimulatedBridge, ConnectionDetails) async throws -> Value
    ) async throws -> Value {
        let bridge = try SimulatedBridge(settings, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await bridge.run() }
            // The group waits until the bridge has ended.
            defer { group.cancelAll() }
            return try await body(bridge, try await bridge.ready)
        }
    }
}
