import CDNSSD
import Glibc

/// One open request to avahi-daemon, with the C context that hears its answers. Belongs to the thread that made it.
///
/// In Avahi's dns_sd each request is a D-Bus connection, a thread and a socket of its own; opening one waits for the
/// daemon.
final class Request {
    enum Answer: Equatable {
        case browsed(ServiceName, interface: UInt32, isThere: Bool)
        case resolved(host: String, port: Int, text: [UInt8])
        case record([UInt8], interface: UInt32, isThere: Bool)
        case registered(name: String)
        case failed(Int32)
    }

    /// What C holds an address of: callbacks put here what they copied, ``process()`` takes it out.
    private final class Inbox {
        var answers: [Answer] = []
    }

    private var reference: DNSServiceRef?
    private let inbox: Unmanaged<Inbox>

    private typealias Opening = (UnsafeMutablePointer<DNSServiceRef?>, UnsafeMutableRawPointer) -> DNSServiceErrorType

    private init(_ doing: String, _ subject: String, _ open: Opening) throws(DiscoveryError) {
        // +1 for C, paid back in close() after the reference is freed; where opening failed, C kept nothing and
        // deinit's close() pays.
        inbox = Unmanaged.passRetained(Inbox())
        let code = open(&reference, inbox.toOpaque())
        guard code == kDNSServiceErr_NoError, reference != nil else {
            reference = nil
            throw DiscoveryError(code: code, doing: doing, subject)
        }
    }

    private var isClosed = false

    deinit { close() }

    /// Ends the request and frees what belongs to it; no answer comes after. More than once is once.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let reference { DNSServiceRefDeallocate(reference) }
        reference = nil
        inbox.release()
    }

    /// Readable when ``process()`` has something to do; nil once closed.
    var descriptor: Int32? { reference.map { DNSServiceRefSockFD($0) } }

    /// Hears what came. Waits for it if the descriptor is not readable. Any `failed` is the last answer: close the
    /// request then.
    func process() -> [Answer] {
        guard let reference else { return [] }
        let code = DNSServiceProcessResult(reference)
        let inbox = inbox.takeUnretainedValue()
        var answers = inbox.answers
        inbox.answers = []
        if code != kDNSServiceErr_NoError { answers.append(.failed(code)) }
        return answers
    }

    /// Replaces the TXT record of a registration.
    func update(text: [UInt8]) throws(DiscoveryError) {
        guard let reference else { throw .stopped }
        let code = DNSServiceUpdateRecord(reference, nil, 0, UInt16(text.count), text, 0)
        guard code == kDNSServiceErr_NoError else { throw DiscoveryError(code: code, doing: "changing", "TXT") }
    }

    // Unretained in every callback below: each fires many times, the +1 is not theirs to spend.
    private static func put(_ answer: Answer, in context: UnsafeMutableRawPointer?) {
        guard let context else { return }
        Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().answers.append(answer)
    }
}

// MARK: - The four kinds

extension Request {
    /// Answers `browsed`, for each instance of `type` once per interface and protocol.
    static func browse(_ type: String, domain: String?) throws(DiscoveryError) -> Request {
        try Request("browsing for", type) { reference, context in
            DNSServiceBrowse(
                reference, 0, 0, type, domain,
                { _, flags, interface, error, name, type, domain, context in
                    guard error == kDNSServiceErr_NoError, let name, let type, let domain else {
                        return Request.put(.failed(error), in: context)
                    }
                    let service = ServiceName(
                        name: String(cString: name), type: String(cString: type), domain: String(cString: domain)
                    )
                    Request.put(.browsed(service, interface: interface, isThere: flags.isAdd), in: context)
                },
                context
            )
        }
    }

    /// Answers `resolved`, again whenever SRV or TXT change; `failed` when nobody answered for five seconds.
    static func resolve(_ service: ServiceName) throws(DiscoveryError) -> Request {
        try Request("resolving", service.name) { reference, context in
            DNSServiceResolve(
                reference, 0, 0, service.name, service.type, service.domain,
                { _, _, _, error, _, host, port, length, bytes, context in
                    guard error == kDNSServiceErr_NoError, let host else {
                        return Request.put(.failed(error), in: context)
                    }
                    let text = Array(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(length)))
                    let answer = Answer.resolved(
                        host: String(cString: host).withoutLastDot, port: Int(UInt16(bigEndian: port)), text: text
                    )
                    Request.put(answer, in: context)
                },
                context
            )
        }
    }

    /// Answers `record` for each address of `host`: A records, or AAAA.
    static func addresses(of host: String, isV6: Bool) throws(DiscoveryError) -> Request {
        let kind = UInt16(isV6 ? kDNSServiceType_AAAA : kDNSServiceType_A)
        return try Request("asking for the address of", host) { reference, context in
            DNSServiceQueryRecord(
                reference, 0, 0, host, kind, UInt16(kDNSServiceClass_IN),
                { _, flags, interface, error, _, _, _, length, bytes, _, context in
                    guard error == kDNSServiceErr_NoError, let bytes else {
                        return Request.put(.failed(error), in: context)
                    }
                    let record = Array(UnsafeRawBufferPointer(start: bytes, count: Int(length)))
                    Request.put(.record(record, interface: interface, isThere: flags.isAdd), in: context)
                },
                context
            )
        }
    }

    /// Answers `registered` with the name the network accepted, again whenever another had to be chosen.
    static func register(_ offer: Offer) throws(DiscoveryError) -> Request {
        try Request("offering", offer.name) { reference, context in
            DNSServiceRegister(
                reference, 0, offer.interface, offer.name, offer.type, nil, offer.host, UInt16(offer.port).bigEndian,
                UInt16(offer.text.count), offer.text,
                { _, _, error, name, _, _, context in
                    guard error == kDNSServiceErr_NoError, let name else {
                        return Request.put(.failed(error), in: context)
                    }
                    Request.put(.registered(name: String(cString: name)), in: context)
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
    /// What a code of dns_sd's means. Avahi maps every way of not reaching the daemon to "unknown".
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
