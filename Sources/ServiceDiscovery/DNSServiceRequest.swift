import CDNSSD
import Glibc

/// One open request to avahi-daemon with the C context of its callbacks. Used only by the thread that created it.
///
/// In Avahi's dns_sd each request has its own D-Bus connection, thread and socket. Opening one waits for the daemon.
final class DNSServiceRequest {
    /// What one callback delivered.
    enum Response: Equatable {
        case browsed(ServiceName, interface: UInt32, isAdded: Bool)
        case resolved(host: String, port: Int, text: [UInt8])
        case record([UInt8], interface: UInt32, isAdded: Bool)
        case registered(name: String)
        case failed(Int32)
    }

    /// The object that C has a pointer to. Callbacks append what they copied, and ``process()`` takes it out.
    private final class CallbackContext {
        var responses: [Response] = []
    }

    private var reference: DNSServiceRef?
    private let context: Unmanaged<CallbackContext>

    private typealias Opening = (UnsafeMutablePointer<DNSServiceRef?>, UnsafeMutableRawPointer) -> DNSServiceErrorType

    private init(_ doing: String, _ subject: String, _ open: Opening) throws(DiscoveryError) {
        // +1 for C, released in close() after the reference is freed. If opening fails, C keeps nothing and deinit's
        // close() releases it.
        context = Unmanaged.passRetained(CallbackContext())
        let code = open(&reference, context.toOpaque())
        guard code == kDNSServiceErr_NoError, reference != nil else {
            reference = nil
            throw DiscoveryError(code: code, doing: doing, subject)
        }
    }

    private var isClosed = false

    deinit { close() }

    /// Ends the request and frees its resources. No callback comes afterwards. Idempotent.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let reference { DNSServiceRefDeallocate(reference) }
        reference = nil
        context.release()
    }

    /// Readable when ``process()`` has something to do; `nil` once closed.
    var descriptor: Int32? { reference.map { DNSServiceRefSockFD($0) } }

    /// Runs the pending callbacks and returns what they delivered. Blocks if the descriptor is not readable. After
    /// `failed`, which comes last, close the request.
    func process() -> [Response] {
        guard let reference else { return [] }
        let code = DNSServiceProcessResult(reference)
        let context = context.takeUnretainedValue()
        var responses = context.responses
        context.responses = []
        if code != kDNSServiceErr_NoError { responses.append(.failed(code)) }
        return responses
    }

    /// Replaces the TXT record of a registration.
    func update(text: [UInt8]) throws(DiscoveryError) {
        guard let reference else { throw .stopped }
        let code = DNSServiceUpdateRecord(reference, nil, 0, UInt16(text.count), text, 0)
        guard code == kDNSServiceErr_NoError else { throw DiscoveryError(code: code, doing: "changing", "TXT") }
    }

    // Unretained, because each callback fires many times and only close() may release the +1.
    private static func deliver(_ response: Response, in context: UnsafeMutableRawPointer?) {
        guard let context else { return }
        Unmanaged<CallbackContext>.fromOpaque(context).takeUnretainedValue().responses.append(response)
    }
}

// MARK: - The four kinds of request

extension DNSServiceRequest {
    /// Delivers `browsed` for each instance of `type`, once per interface and protocol.
    static func browse(_ type: String, domain: String?) throws(DiscoveryError) -> DNSServiceRequest {
        try DNSServiceRequest("browsing for", type) { reference, context in
            DNSServiceBrowse(
                reference, 0, 0, type, domain,
                { _, flags, interface, error, name, type, domain, context in
                    guard error == kDNSServiceErr_NoError, let name, let type, let domain else {
                        return DNSServiceRequest.deliver(.failed(error), in: context)
                    }
                    let service = ServiceName(
                        name: String(cString: name), type: String(cString: type), domain: String(cString: domain)
                    )
                    DNSServiceRequest.deliver(
                        .browsed(service, interface: interface, isAdded: flags.isAdd), in: context)
                },
                context
            )
        }
    }

    /// Delivers `resolved`, again whenever SRV or TXT change, and `failed` after five seconds without an answer.
    static func resolve(_ service: ServiceName) throws(DiscoveryError) -> DNSServiceRequest {
        try DNSServiceRequest("resolving", service.name) { reference, context in
            DNSServiceResolve(
                reference, 0, 0, service.name, service.type, service.domain,
                { _, _, _, error, _, host, port, length, bytes, context in
                    guard error == kDNSServiceErr_NoError, let host else {
                        return DNSServiceRequest.deliver(.failed(error), in: context)
                    }
                    let text = Array(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(length)))
                    let response = Response.resolved(
                        host: String(cString: host).withoutLastDot, port: Int(UInt16(bigEndian: port)), text: text
                    )
                    DNSServiceRequest.deliver(response, in: context)
                },
                context
            )
        }
    }

    /// Delivers `record` for each address of `host`: A records, or AAAA if `isV6`.
    static func addresses(of host: String, isV6: Bool) throws(DiscoveryError) -> DNSServiceRequest {
        let kind = UInt16(isV6 ? kDNSServiceType_AAAA : kDNSServiceType_A)
        return try DNSServiceRequest("asking for the address of", host) { reference, context in
            DNSServiceQueryRecord(
                reference, 0, 0, host, kind, UInt16(kDNSServiceClass_IN),
                { _, flags, interface, error, _, _, _, length, bytes, _, context in
                    guard error == kDNSServiceErr_NoError, let bytes else {
                        return DNSServiceRequest.deliver(.failed(error), in: context)
                    }
                    let record = Array(UnsafeRawBufferPointer(start: bytes, count: Int(length)))
                    DNSServiceRequest.deliver(.record(record, interface: interface, isAdded: flags.isAdd), in: context)
                },
                context
            )
        }
    }

    /// Delivers `registered` with the accepted name, again whenever avahi has to choose another.
    static func register(_ offer: ServiceOffer) throws(DiscoveryError) -> DNSServiceRequest {
        try DNSServiceRequest("offering", offer.name) { reference, context in
            DNSServiceRegister(
                reference, 0, offer.interface, offer.name, offer.type, nil, offer.host, UInt16(offer.port).bigEndian,
                UInt16(offer.text.count), offer.text,
                { _, _, error, name, _, _, context in
                    guard error == kDNSServiceErr_NoError, let name else {
                        return DNSServiceRequest.deliver(.failed(error), in: context)
                    }
                    DNSServiceRequest.deliver(.registered(name: String(cString: name)), in: context)
                },
                context
            )
        }
    }
}

extension DNSServiceFlags {
    fileprivate var isAdd: Bool { self & DNSServiceFlags(kDNSServiceFlagsAdd) != 0 }
}

extension DiscoveryError {
    /// Translates a dns_sd error code. Avahi returns "unknown" whenever it cannot reach the daemon.
    init(code: Int32, doing: String, _ subject: String) {
        let doing = "\(doing) '\(subject)'"
        switch Int(code) {
        case kDNSServiceErr_Unknown: self = .daemonMissing
        case kDNSServiceErr_NameConflict: self = .nameTaken(subject)
        case kDNSServiceErr_BadParam, kDNSServiceErr_Invalid, kDNSServiceErr_Unsupported: self = .badRequest(doing)
        default: self = .code(code, doing: doing)
        }
    }
}
