// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "lightd",
    products: [
        .executable(name: "lightd", targets: ["lightd"]),
        .executable(name: "lightctl", targets: ["lightctl"]),
        .executable(name: "lightsim", targets: ["lightsim"]),
        .library(name: "Khipu", targets: ["Khipu"]),
        .library(name: "SimulatedBridge", targets: ["SimulatedBridge"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The grammar and the domain: pure, synchronous, no sockets.
        target("Khipu"),
        // The words that the domain and the API share.
        target("Vocabulary"),
        // What people read, in their languages.
        target("Languages"),
        target(
            "Lighting",
            ["Khipu", "Vocabulary", .collections, .product(name: "HeapModule", package: "swift-collections")]),
        target("LightingTestKit", ["Khipu", "Lighting", .collections]),

        // How the programs run tasks and wait.
        target("Executors", ["CLinux", .product(name: "HeapModule", package: "swift-collections")]),

        // How the control API and the simulated bridge run Hummingbird's server.
        target(
            "HTTPServing",
            [
                .hummingbird, .logging, .lifecycle,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),

        // The C libraries, each behind one door.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CDNSSD", providers: [.apt(["libavahi-compat-libdnssd-dev"])]),
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        target("Curl", ["CCurl", "Executors"]),
        target(
            "MQTT",
            ["CMosquitto", "Executors", .metrics, .product(name: "DequeModule", package: "swift-collections")]),
        target("QRCode", ["CQREncode"]),
        target("ServiceDiscovery", ["CDNSSD", "Executors"]),

        // The framing that the bridge's event stream and the control API's share.
        target("ServerSentEvents"),
        // Any JSON, as the bridge's language and the assistants' have it.
        target("AnyJSON"),

        // The bridge: its language, our gateway to it, and one made of software.
        target("HueWire", ["AnyJSON", "ServerSentEvents"]),
        target(
            "HueBridge",
            [
                "Executors", "Khipu", "Lighting", "HueWire", "ServerSentEvents", "Curl", "ServiceDiscovery", .logging,
                .lifecycle, .metrics,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        target(
            "SimulatedBridge",
            [
                "Executors", "HTTPServing", "HueWire", "ServerSentEvents", "ServiceDiscovery", .hummingbird, .logging,
                .lifecycle,
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),

        // What must survive, and what others rely on.
        target(
            "Persistence",
            [
                "Executors", "Khipu", "Lighting", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"), .logging, .lifecycle,
            ]),
        target("ControlProtocol", ["Vocabulary"]),
        // What a person types, as commands: for lightctl, and for lightd, which reads automations.
        target("CommandGrammar", ["ControlProtocol", .argumentParser]),
        // Automations in YAML, as a person writes them.
        target(
            "AutomationFiles",
            ["CommandGrammar", "ControlProtocol", "Khipu", "Lighting", .product(name: "Yams", package: "Yams")]),
        // Between the domain and every surface, without any of their protocols.
        target(
            "ControlSurface",
            [
                "AutomationFiles", "CommandGrammar", "Khipu", "Languages", "Lighting", "HueWire", "ControlProtocol",
                .collections, .metrics, .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // The home on an MQTT broker, and in Home Assistant.
        target(
            "MQTTSurface",
            [
                "MQTT", "ControlSurface", "ControlProtocol", "Khipu", "Lighting", "HueWire", .logging, .lifecycle,
                .collections, .metrics,
            ]),
        // The files of the page, which ControlServer serves.
        .target(name: "CPageFiles"),
        target(
            "ControlServer",
            [
                "CPageFiles", "CZlib", "Executors", "HTTPServing", "Khipu", "Languages", "Lighting", "ControlProtocol",
                "ControlSurface", "QRCode", "ServerSentEvents", .hummingbird, .logging, .lifecycle,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            exclude: ["Page/Files"]
        ),
        target(
            "LightDaemon",
            [
                "Executors", "Khipu", "Lighting", "HueBridge", "Persistence", "ControlProtocol", "ControlSurface",
                "ControlServer", "Curl", "HTTPServing", "MQTT", "MQTTSurface", .hummingbird, .logging, .lifecycle,
                .collections,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),

        program("lightd", ["LightDaemon", "ControlProtocol", "Executors", .argumentParser]),
        // Without a loader, shared libraries and symbols it starts in a quarter of the time.
        program(
            "lightctl", ["AnyJSON", "CommandGrammar", "ControlProtocol", "ServerSentEvents", .argumentParser],
            linkerSettings: [.unsafeFlags(["-static-executable", "-Xlinker", "-s"], .when(configuration: .release))]),
        program(
            "lightsim",
            [
                "SimulatedBridge", "ControlProtocol", "Executors", .argumentParser, .logging, .lifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        // What several targets' tests stand on: the real programs as processes, waiting, directories.
        .target(
            name: "TestSupport", dependencies: [.logging] + visibleMutex(), path: "Tests/Support/TestSupport",
            swiftSettings: settings() + memberImports("TestSupport"),
            // HeldHostName stands in the place of the resolver for libcurl, too.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=getaddrinfo"])]),
        tests(of: "Khipu", ["Khipu"]),
        tests(of: "Executors", ["Executors"]),
        tests(
            of: "HTTPServing",
            [
                "Executors", "HTTPServing", "TestSupport", .logging, .lifecycle,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        tests(of: "Lighting", ["Khipu", "Lighting", "LightingTestKit", "TestSupport", .collections]),
        tests(of: "Curl", ["Curl", "TestSupport"]),
        tests(of: "MQTT", ["MQTT", "TestSupport"]),
        tests(
            of: "MQTTSurface",
            [
                "MQTTSurface", "MQTT", "ControlSurface", "ControlProtocol", "Khipu", "Lighting", "LightingTestKit",
                "TestSupport", .collections,
            ]),
        tests(of: "QRCode", ["QRCode"]),
        tests(of: "ServiceDiscovery", ["ServiceDiscovery", "TestSupport"]),
        tests(of: "ServerSentEvents", ["ServerSentEvents", "TestSupport"]),
        tests(of: "HueWire", ["HueWire", "ServerSentEvents", "TestSupport"], resources: [.copy("Fixtures")]),
        tests(
            of: "HueBridge",
            [
                "HueBridge", "ControlSurface", "ControlProtocol", "Khipu", "Lighting", "LightingTestKit",
                "SimulatedBridge", "HueWire", "ServerSentEvents", "Curl", "CCurl", "ServiceDiscovery", "TestSupport",
                .logging, .lifecycle, .metrics,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
        tests(
            of: "SimulatedBridge",
            ["SimulatedBridge", "lightsim", "HueWire", "ServerSentEvents", "Curl", "TestSupport", .logging, .lifecycle]),
        tests(
            of: "Persistence",
            [
                "Persistence", "Khipu", "Lighting", "LightingTestKit", "TestSupport", .logging, .lifecycle,
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(of: "ControlProtocol", ["ControlProtocol", "TestSupport"]),
        tests(of: "CommandGrammar", ["CommandGrammar", "ControlProtocol", "TestSupport", .argumentParser]),
        tests(
            of: "AutomationFiles",
            [
                "AutomationFiles", "CommandGrammar", "ControlProtocol", "Khipu", "Lighting", "LightingTestKit",
                "TestSupport",
            ]),
        tests(
            of: "ControlSurface",
            [
                "ControlSurface", "AutomationFiles", "ControlProtocol", "Khipu", "Languages", "Lighting",
                "LightingTestKit", "TestSupport", .collections, .metrics,
            ]),
        tests(
            of: "ControlServer",
            [
                "ControlServer", "ControlSurface", "ControlProtocol", "ServerSentEvents", "Khipu", "Languages",
                "Lighting",
                "LightingTestKit", "TestSupport", .logging, .lifecycle,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        tests(
            of: "LightCtl",
            [
                "lightctl", "AnyJSON", "CommandGrammar", "ControlProtocol", "ServerSentEvents", "TestSupport",
                .argumentParser,
            ]),
        tests(
            of: "LightDaemon",
            [
                "LightDaemon", "lightd", "lightsim", "HueBridge", "ControlProtocol", "ControlServer", "Curl", "Khipu",
                "Lighting", "LightingTestKit", "MQTT", "TestSupport", .logging, .lifecycle,
            ]),
        tests(
            of: "EndToEnd",
            [
                "Khipu", "Lighting", "LightingTestKit", "Persistence", "LightDaemon", "SimulatedBridge",
                "ControlProtocol", "ControlSurface",
                "AnyJSON", "ServerSentEvents", "Curl", "lightd", "lightctl", "lightsim", "TestSupport", .logging,
                .lifecycle,
            ]),
        // What docs/lightsim.md offers to other projects, built as they would.
        .testTarget(
            name: "RecipeTests", dependencies: ["SimulatedBridge"], path: "Tests/Interop/recipes",
            exclude: ["lights.sh", "test_lights.py"]),
    ]
        + (hasThreadSanitizer()
            ? [.target(name: "VisibleMutex", path: "Tests/Support/VisibleMutex", swiftSettings: strict())] : []),
    swiftLanguageModes: [.v6]
)

// MARK: - What all targets have in common

/// A target of ours. Its imports are internal unless they say `public`, members come only from modules that a file names
/// (see `memberImports`), and a warning is an error.
func target(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies + visibleMutex(), exclude: exclude,
        swiftSettings: settings() + memberImports(name) + optimization(name))
}

func program(_ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting] = []) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + visibleMutex(), swiftSettings: settings() + memberImports(name),
        linkerSettings: linkerSettings)
}

func tests(of name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + visibleMutex(), resources: resources,
        swiftSettings: settings() + memberImports(name))
}

func strict() -> [SwiftSetting] {
    [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
        .treatAllWarnings(as: .error),
    ]
}

/// ThreadSanitizer does not see the lock of `Synchronization.Mutex`. With LIGHTD_SANITIZE=thread (`make sanitize`), an
/// `import Synchronization` of ours means VisibleMutex instead. In all other builds that module does not exist.
func settings() -> [SwiftSetting] {
    strict() + (hasThreadSanitizer() ? [.unsafeFlags(["-module-alias", "Synchronization=VisibleMutex"])] : [])
}

/// What the tests compute with is optimised in debug builds, too: laws over thousands of homes and days would take
/// several times as long. To compile takes longer, which pays for nothing else. To step through a function in a
/// debugger, build with LIGHTD_OPTIMIZE=none.
func optimization(_ name: String) -> [SwiftSetting] {
    let isOptimized = [
        "Khipu", "Vocabulary", "Lighting", "LightingTestKit", "HueWire", "ServerSentEvents", "HueBridge",
        "SimulatedBridge", "ControlProtocol", "CommandGrammar", "AutomationFiles", "ControlSurface",
    ].contains(name)
    return isOptimized && Context.environment["LIGHTD_OPTIMIZE"] != "none"
        ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []
}

func hasThreadSanitizer() -> Bool { Context.environment["LIGHTD_SANITIZE"] == "thread" }

func visibleMutex() -> [Target.Dependency] { hasThreadSanitizer() ? ["VisibleMutex"] : [] }

/// Targets in whose compilation swift-certificates is loaded, and with it CoreFoundation, which declares C's structs once
/// more. Whether the members of `stat` then belong to Glibc or to CoreFoundation depends on which files are compiled
/// together, and so on the number of processors: with 5, 6 or 9 of them LightDaemon did not compile.
func memberImports(_ name: String) -> [SwiftSetting] {
    let seesCoreFoundation = ["HueBridge", "SimulatedBridge", "LightDaemon", "lightd", "lightsim", "EndToEnd"]
    return seesCoreFoundation.contains(name) ? [] : [.enableUpcomingFeature("MemberImportVisibility")]
}

extension Target.Dependency {
    static var argumentParser: Target.Dependency { .product(name: "ArgumentParser", package: "swift-argument-parser") }
    static var collections: Target.Dependency { .product(name: "HashTreeCollections", package: "swift-collections") }
    static var logging: Target.Dependency { .product(name: "Logging", package: "swift-log") }
    /// What emits metrics needs no more of swift-metrics than this: no Foundation.
    static var metrics: Target.Dependency { .product(name: "CoreMetrics", package: "swift-metrics") }
    static var lifecycle: Target.Dependency { .product(name: "ServiceLifecycle", package: "swift-service-lifecycle") }
    static var hummingbird: Target.Dependency { .product(name: "Hummingbird", package: "hummingbird") }
}
