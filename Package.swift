// swift-tools-version: 6.2
import PackageDescription

/// Every room keeps its door: imports stay internal unless they say `public`, members come only from modules a file names
/// (see `memberImports`), and a warning is a defect.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

/// Rooms in whose compilation swift-certificates is loaded, and with it CoreFoundation, which declares C's structs once
/// more. Whether the members of `stat` then belong to Glibc or to CoreFoundation depends on which files are compiled
/// together, and so on the number of processors: with 5, 6 or 9 of them LightDaemon did not compile.
let seesCoreFoundation: Set = ["HueBridge", "SimulatedBridge", "LightDaemon", "lightd", "lightsim", "EndToEnd"]

func memberImports(_ room: String) -> [SwiftSetting] {
    seesCoreFoundation.contains(room) ? [] : [.enableUpcomingFeature("MemberImportVisibility")]
}

/// ThreadSanitizer does not see the lock of `Synchronization.Mutex`. With LIGHTD_SANITIZE=thread (`make sanitize`), an
/// `import Synchronization` of ours means VisibleMutex instead. In all other builds that module does not exist.
let threadSanitizer = Context.environment["LIGHTD_SANITIZE"] == "thread"
let visibleMutex: [Target.Dependency] = threadSanitizer ? ["VisibleMutex"] : []
let roomSettings: [SwiftSetting] =
    house + (threadSanitizer ? [.unsafeFlags(["-module-alias", "Synchronization=VisibleMutex"])] : [])

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let collections: Target.Dependency = .product(name: "HashTreeCollections", package: "swift-collections")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")

func room(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies + visibleMutex, exclude: exclude,
        swiftSettings: roomSettings + memberImports(name))
}

func program(_ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting] = []) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + visibleMutex, swiftSettings: roomSettings + memberImports(name),
        linkerSettings: linkerSettings)
}

func tests(of name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + visibleMutex, resources: resources,
        swiftSettings: roomSettings + memberImports(name))
}

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
        room("Khipu"),
        room("Lighting", ["Khipu", collections, .product(name: "HeapModule", package: "swift-collections")]),
        room("LightingTestKit", ["Khipu", "Lighting", collections]),

        // How the programs run tasks and wait.
        room("Executors", ["CLinux", .product(name: "HeapModule", package: "swift-collections")]),

        // How the control API and the simulated bridge run Hummingbird's server.
        room(
            "HTTPServing",
            [
                hummingbird, logging, lifecycle,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),

        // The C libraries, each behind one door.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CDNSSD", providers: [.apt(["libavahi-compat-libdnssd-dev"])]),
        .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        room("Curl", ["CCurl", "Executors"]),
        room("QRCode", ["CQREncode"]),
        room("ServiceDiscovery", ["CDNSSD", "Executors"]),

        // The framing that the bridge's event stream and the control API's share.
        room("ServerSentEvents"),

        // The bridge: its language, our gateway to it, and one made of software.
        room("HueWire", ["ServerSentEvents"]),
        room(
            "HueBridge",
            [
                "Executors", "Khipu", "Lighting", "HueWire", "ServerSentEvents", "Curl", "ServiceDiscovery", logging,
                lifecycle,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        room(
            "SimulatedBridge",
            [
                "Executors", "HTTPServing", "HueWire", "ServerSentEvents", "ServiceDiscovery", hummingbird, logging,
                lifecycle,
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
        room(
            "Persistence",
            [
                "Executors", "Khipu", "Lighting", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"), logging, lifecycle,
            ]),
        room("ControlProtocol"),
        // What a person types, as commands: for lightctl, and for lightd, which reads automations.
        room("CommandGrammar", ["ControlProtocol", argumentParser]),
        // Automations in YAML, as a person writes them.
        room(
            "AutomationFiles",
            ["CommandGrammar", "ControlProtocol", "Khipu", "Lighting", .product(name: "Yams", package: "Yams")]),
        // Between the domain and every surface (HTTP today), without any of their protocols.
        room(
            "ControlSurface",
            [
                "AutomationFiles", "CommandGrammar", "Khipu", "Lighting", "HueWire", "ControlProtocol", collections,
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // The files of the page, which ControlServer serves.
        .target(name: "CPageFiles"),
        room(
            "ControlServer",
            [
                "CPageFiles", "CZlib", "Executors", "HTTPServing", "Khipu", "Lighting", "ControlProtocol",
                "ControlSurface", "QRCode", "ServerSentEvents", hummingbird, logging, lifecycle,
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
        room(
            "LightDaemon",
            [
                "Executors", "Khipu", "Lighting", "HueBridge", "Persistence", "ControlProtocol", "ControlSurface",
                "ControlServer", "Curl", logging, lifecycle, collections,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),

        program("lightd", ["LightDaemon", "ControlProtocol", "Executors", argumentParser]),
        // Without a loader, shared libraries and symbols it starts in a quarter of the time.
        program(
            "lightctl", ["CommandGrammar", "ControlProtocol", "ServerSentEvents", argumentParser],
            linkerSettings: [.unsafeFlags(["-static-executable", "-Xlinker", "-s"], .when(configuration: .release))]),
        program(
            "lightsim",
            [
                "SimulatedBridge", "ControlProtocol", "Executors", argumentParser, logging, lifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        // What several rooms' tests stand on: the real programs as processes, waiting, directories.
        .target(
            name: "TestSupport", dependencies: [logging] + visibleMutex, path: "Tests/Support/TestSupport",
            swiftSettings: roomSettings + memberImports("TestSupport"),
            // HeldHostName stands in the place of the resolver for libcurl, too.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=getaddrinfo"])]),
        tests(of: "Khipu", ["Khipu"]),
        tests(of: "Executors", ["Executors"]),
        tests(
            of: "HTTPServing",
            [
                "Executors", "HTTPServing", "TestSupport", logging, lifecycle,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        tests(of: "Lighting", ["Khipu", "Lighting", "LightingTestKit", "TestSupport", collections]),
        tests(of: "Curl", ["Curl", "TestSupport"]),
        tests(of: "QRCode", ["QRCode"]),
        tests(of: "ServiceDiscovery", ["ServiceDiscovery", "TestSupport"]),
        tests(of: "ServerSentEvents", ["ServerSentEvents", "TestSupport"]),
        tests(of: "HueWire", ["HueWire", "ServerSentEvents", "TestSupport"], resources: [.copy("Fixtures")]),
        tests(
            of: "HueBridge",
            [
                "HueBridge", "Khipu", "Lighting", "LightingTestKit", "SimulatedBridge", "HueWire", "ServerSentEvents",
                "Curl", "CCurl", "ServiceDiscovery", "TestSupport", logging, lifecycle,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
        tests(
            of: "SimulatedBridge",
            ["SimulatedBridge", "lightsim", "HueWire", "ServerSentEvents", "Curl", "TestSupport", logging, lifecycle]),
        tests(
            of: "Persistence",
            [
                "Persistence", "Khipu", "Lighting", "LightingTestKit", "TestSupport", logging, lifecycle,
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(of: "ControlProtocol", ["ControlProtocol", "TestSupport"]),
        tests(of: "CommandGrammar", ["CommandGrammar", "ControlProtocol", "TestSupport", argumentParser]),
        tests(
            of: "AutomationFiles",
            [
                "AutomationFiles", "CommandGrammar", "ControlProtocol", "Khipu", "Lighting", "LightingTestKit",
                "TestSupport",
            ]),
        tests(
            of: "ControlSurface",
            ["ControlSurface", "ControlProtocol", "Khipu", "Lighting", "LightingTestKit", "TestSupport", collections]),
        tests(
            of: "ControlServer",
            [
                "ControlServer", "ControlSurface", "ControlProtocol", "ServerSentEvents", "Khipu", "Lighting",
                "LightingTestKit", "TestSupport", logging, lifecycle,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        tests(
            of: "LightCtl",
            ["lightctl", "CommandGrammar", "ControlProtocol", "ServerSentEvents", "TestSupport", argumentParser]),
        tests(
            of: "LightDaemon",
            [
                "LightDaemon", "lightd", "lightsim", "HueBridge", "ControlProtocol", "ControlServer", "Curl", "Khipu",
                "Lighting", "LightingTestKit", "TestSupport", logging, lifecycle,
            ]),
        tests(
            of: "EndToEnd",
            [
                "Khipu", "Lighting", "LightingTestKit", "Persistence", "LightDaemon", "SimulatedBridge",
                "ControlProtocol",
                "ServerSentEvents", "Curl", "lightd", "lightctl", "lightsim", "TestSupport", logging, lifecycle,
            ]),
        // What the README offers to other projects, built as they would.
        .testTarget(
            name: "RecipeTests", dependencies: ["SimulatedBridge"], path: "Tests/Interop/recipes",
            exclude: ["lights.sh", "test_lights.py"]),
    ]
        + (threadSanitizer
            ? [.target(name: "VisibleMutex", path: "Tests/Support/VisibleMutex", swiftSettings: house)] : []),
    swiftLanguageModes: [.v6]
)
