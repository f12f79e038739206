public import Lighting

/// How the gateway looks for bridges, and how much it asks of them.
public struct GatewaySettings: Sendable {
    /// Whether to look for bridges by mDNS.
    public var usesMDNS = true
    /// Whether to ask the maker's list of the bridges behind this home's public address, and its URL.
    public var usesCloud = false
    public var cloudURL = "https://discovery.meethue.com/"
    /// Addresses to try as well.
    public var hosts: [Bridge.Address] = []
    /// Light commands a second for each bridge.
    public var lightsPerSecond = Budget().lightsPerSecond
    /// Group commands a second for each bridge: each is a broadcast to the whole mesh.
    public var groupsPerSecond = Budget().groupsPerSecond
    /// Concurrent requests to each bridge.
    public var requestsInFlight = Budget().inFlight
    /// How long a command may take until its caller is answered, including waiting and retries. It may still be sent
    /// later.
    public var commandDeadline: Duration = .seconds(10)
    /// How long a bridge may take to answer one request.
    public var requestTimeout: Duration { min(timeouts.answer, commandDeadline) }
    /// Whether a light that was out of reach gets, on its return, what was asked of it meanwhile.
    public var appliesOnReturn = true
    /// How long commands for a light or bridge that is out of reach are kept.
    public var offlineCommandLifetime: Duration = .seconds(600)
    /// How often a bridge without an event stream is asked for its lights.
    public var pollInterval: Duration = .seconds(5)
    /// How we appear in the bridge's list of apps: the machine's name, of which 19 characters count.
    public var instance = "lightd"
    /// The maker's root certificates (PEM). Not public: only tests use others.
    var makerRoots = MakerRoots.pem
    /// Not public: only tests use shorter values.
    var timeouts = Timeouts()
    /// Not public: only tests use another.
    var clock = BridgeClock.system

    public init() {}

    var budget: Budget {
        Budget(lightsPerSecond: lightsPerSecond, groupsPerSecond: groupsPerSecond, inFlight: requestsInFlight)
    }

    var returning: OfflineCommands.Policy {
        OfflineCommands.Policy(applies: appliesOnReturn, keeps: offlineCommandLifetime)
    }
}

/// The maker's two public root certificates, which the maker's bridge certificates chain to.
///
/// `root-bridge` (valid 2017 to 2038) and `Hue Root CA 01` (2025 to 2050), byte for byte as in ebaauw/hb-hue-tools and
/// openhue/openhue-go; SHA-256 F0:BD:8E:65…8A:CF and D8:B8:94:48…28:B8. They hold public keys and are not secret.
enum MakerRoots {
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIICMjCCAdigAwIBAgIUO7FSLbaxikuXAljzVaurLXWmFw4wCgYIKoZIzj0EAwIw
        OTELMAkGA1UEBhMCTkwxFDASBgNVBAoMC1BoaWxpcHMgSHVlMRQwEgYDVQQDDAty
        b290LWJyaWRnZTAiGA8yMDE3MDEwMTAwMDAwMFoYDzIwMzgwMTE5MDMxNDA3WjA5
        MQswCQYDVQQGEwJOTDEUMBIGA1UECgwLUGhpbGlwcyBIdWUxFDASBgNVBAMMC3Jv
        b3QtYnJpZGdlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEjNw2tx2AplOf9x86
        aTdvEcL1FU65QDxziKvBpW9XXSIcibAeQiKxegpq8Exbr9v6LBnYbna2VcaK0G22
        jOKkTqOBuTCBtjAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBhjAdBgNV
        HQ4EFgQUZ2ONTFrDT6o8ItRnKfqWKnHFGmQwdAYDVR0jBG0wa4AUZ2ONTFrDT6o8
        ItRnKfqWKnHFGmShPaQ7MDkxCzAJBgNVBAYTAk5MMRQwEgYDVQQKDAtQaGlsaXBz
        IEh1ZTEUMBIGA1UEAwwLcm9vdC1icmlkZ2WCFDuxUi22sYpLlwJY81Wrqy11phcO
        MAoGCCqGSM49BAMCA0gAMEUCIEBYYEOsa07TH7E5MJnGw557lVkORgit2Rm1h3B2
        sFgDAiEA1Fj/C3AN5psFMjo0//mrQebo0eKd3aWRx+pQY08mk48=
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        MIIBzDCCAXOgAwIBAgICEAAwCgYIKoZIzj0EAwIwPDELMAkGA1UEBhMCTkwxFDAS
        BgNVBAoMC1NpZ25pZnkgSHVlMRcwFQYDVQQDDA5IdWUgUm9vdCBDQSAwMTAgFw0y
        NTAyMjUwMDAwMDBaGA8yMDUwMTIzMTIzNTk1OVowPDELMAkGA1UEBhMCTkwxFDAS
        BgNVBAoMC1NpZ25pZnkgSHVlMRcwFQYDVQQDDA5IdWUgUm9vdCBDQSAwMTBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABFfOO0jfSAUXGQ9kjEDzyBrcMQ3ItyA5krE+
        cyvb1Y3xFti7KlAad8UOnAx0FBLn7HZrlmIwm1QnX0fK3LPM13mjYzBhMB0GA1Ud
        DgQWBBTF1pSpsCASX/z0VHLigxU2CAaqoTAfBgNVHSMEGDAWgBTF1pSpsCASX/z0
        VHLigxU2CAaqoTAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAKBggq
        hkjOPQQDAgNHADBEAiAk7duT+IHbOGO4UUuGLAEpyYejGZK9Z7V9oSfnvuQ5BQIg
        IYSgwwxHXm73/JgcU9lAM6c8Bmu3UE3kBIUwBs1qXFw=
        -----END CERTIFICATE-----
        """
}
