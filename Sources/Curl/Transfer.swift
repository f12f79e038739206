import CCurl
import Glibc

/// One easy handle and the memory it points to. Used only on the engine's thread. `deinit` frees the handle, which must
/// have been removed from the multi handle by then.
final class Transfer {
    let easy: UnsafeMutableRawPointer
    let token: CancellationToken
    private let handler: ResponseHandler
    private let request: HTTPRequest
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var connectList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    private var status = 0
    private var version = ""
    private var headers: [HTTPRequest.Header] = []
    private var isHeadDelivered = false
    private var body: [UInt8] = []
    private var isTooLong = false

    init(_ request: HTTPRequest, _ token: CancellationToken, _ handler: ResponseHandler) throws(CurlError) {
        guard let easy = curl_easy_init() else { throw .invalid("out of memory") }
        self.easy = easy
        self.token = token
        self.handler = handler
        self.request = request
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try setUp()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
        curl_slist_free_all(connectList)
        errorText.deallocate()
    }

    // MARK: - Options

    private func setUp() throws(CurlError) {
        try set(CURLOPT_NOSIGNAL, 1)
        // A name that resolves slowly blocks a thread of libcurl's own. Without this, freeing the handle of a request
        // that timed out meanwhile would wait for that thread, and so would every other request.
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_NOPROXY, "*")
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_TCP_KEEPIDLE, 20)
        try set(CURLOPT_TCP_KEEPINTVL, 10)
        try check(ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeout.wholeMilliseconds))
        if let deadline = request.deadline { try set(CURLOPT_TIMEOUT_MS, max(1, deadline.wholeMilliseconds)) }
        switch request.version {
        case .automatic:
            try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            // Waits for the first connection to show whether it can multiplex, instead of opening a second one. Without
            // TLS that would take until its first response, and a server that sends none would block all other
            // requests.
            if request.url.lowercased().hasPrefix("https:") { try set(CURLOPT_PIPEWAIT, 1) }
        case .http1: try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        // A warm connection does not report its certificate again. And if it breaks before the response, libcurl sends
        // the request again: right for an idempotent request, wrong for a POST.
        if request.wantsCertificate || request.method == .post || request.bringsConnection {
            try set(CURLOPT_FRESH_CONNECT, 1)
        }
        if request.bringsConnection { try set(CURLOPT_FORBID_REUSE, 1) }
        if let path = request.unixSocket { try set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if let endpoint = request.connectTo {
            let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
            connectList = curl_slist_append(nil, "::\(host):\(endpoint.port)")
            try check(ccurl_set_list(easy, CURLOPT_CONNECT_TO, connectList))
        }
        try setTrust()
        try setBody()
        try setHeaders()
        // Unretained: the engine keeps the transfer while its handle is in the multi handle.
        let myself = Unmanaged.passUnretained(self).toOpaque()
        try check(ccurl_set_pointer(easy, CURLOPT_WRITEDATA, myself))
        try check(ccurl_set_pointer(easy, CURLOPT_HEADERDATA, myself))
        try check(
            ccurl_set_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    .receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
            })
        try check(
            ccurl_set_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    .receive(header: UnsafeRawBufferPointer(start: bytes, count: size * count))
            })
    }

    private func setTrust() throws(CurlError) {
        // A resumed TLS session sends no certificate, and every connection must prove its own. Newer versions of
        // libcurl share sessions more widely.
        try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
        if request.wantsCertificate { try set(CURLOPT_CERTINFO, 1) }
        switch request.trust {
        case .system: break
        case let .roots(pem):
            // Only these roots, so not the system's directory either.
            try check(ccurl_set_string(easy, CURLOPT_CAPATH, nil))
            var bytes = Array(pem.utf8)
            try check(
                bytes.withUnsafeMutableBytes {
                    ccurl_set_blob_copy(easy, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count)
                })
        case let .pinned(pin):
            try set(CURLOPT_SSL_VERIFYPEER, 0)
            try set(CURLOPT_PINNEDPUBLICKEY, pin)
        case .unverified:
            try set(CURLOPT_SSL_VERIFYPEER, 0)
            try set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    private func setBody() throws(CurlError) {
        switch (request.method, request.body) {
        case (.get, nil): try set(CURLOPT_HTTPGET, 1)
        case let (method, body):
            let body = body ?? []
            try check(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            try check(
                body.withUnsafeBytes {
                    ccurl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(easy))
                })
            try set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        }
    }

    private func setHeaders() throws(CurlError) {
        for header in request.headers {
            guard !(header.name + header.value).utf8.contains(where: { $0 < 32 && $0 != 9 }) else {
                throw .invalid("a header may not contain control characters: \(header.name)")
            }
            // libcurl sends a header without a value only when it is written with a semicolon.
            headerList = curl_slist_append(
                headerList, header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        // Without this, libcurl would declare the body a form.
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            headerList = curl_slist_append(headerList, "Content-Type:")
        }
        // Without this, libcurl would wait up to a second for "100 Continue".
        headerList = curl_slist_append(headerList, "Expect:")
        try check(ccurl_set_list(easy, CURLOPT_HTTPHEADER, headerList))
    }

    private func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try check(ccurl_set_long(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(CurlError) {
        try check(ccurl_set_string(easy, option, value))
    }

    private func check(_ code: CURLcode) throws(CurlError) {
        guard code != CURLE_OK else { return }
        throw .invalid("libcurl refused a setting: \(String(cString: curl_easy_strerror(code)))")
    }

    // MARK: - Callbacks

    private func receive(header bytes: UnsafeRawBufferPointer) -> Int {
        // Copied before the callback returns.
        var line = String(decoding: bytes, as: UTF8.self)[...]
        while line.last?.isNewline == true { line = line.dropLast() }
        if line.hasPrefix("HTTP/") {
            // A new response begins: the previous one was informational (1xx).
            let parts = line.dropFirst(5).split(separator: " ", maxSplits: 2)
            version = parts.first.map(String.init) ?? ""
            status = parts.dropFirst().first.flatMap { Int($0) } ?? 0
            headers = []
        } else if let colon = line.firstIndex(of: ":") {
            var value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            while value.last == " " || value.last == "\t" { value = value.dropLast() }
            headers.append(HTTPRequest.Header(String(line[..<colon]), String(value)))
        } else if line.isEmpty, status >= 200 {
            deliverHead()
        }
        return bytes.count
    }

    private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        switch handler {
        case .buffered:
            guard body.count + bytes.count <= request.maximumBodySize else {
                isTooLong = true
                return 0
            }
            body.append(contentsOf: bytes)
        case let .streamed(_, stream):
            if case .dropped = stream.yield(Array(bytes)) {
                isTooLong = true
                return 0
            }
        }
        return bytes.count
    }

    private var head: HTTPHead { HTTPHead(status: status, headers: headers, version: version) }

    private func deliverHead() {
        guard !isHeadDelivered else { return }
        isHeadDelivered = true
        if case let .streamed(head, _) = handler { head(.success(self.head)) }
    }

    // MARK: - Completion

    func finish(_ code: CURLcode) {
        guard code == CURLE_OK else { return finish(error(code)) }
        // libcurl reports success if the connection ends inside the headers.
        guard isHeadDelivered else { return finish(.broken("the connection ended inside the response headers")) }
        switch handler {
        case let .buffered(complete): complete(.success(HTTPResponse(head: head, body: body, certificate: certificate)))
        case let .streamed(_, stream): stream.finish()
        }
    }

    func finish(_ error: CurlError) {
        switch handler {
        case let .buffered(complete): complete(.failure(error))
        case let .streamed(head, stream):
            if !isHeadDelivered { head(.failure(error)) }
            isHeadDelivered = true
            stream.finish(throwing: error)
        }
    }

    private func error(_ code: CURLcode) -> CurlError {
        if isTooLong { return .tooMuch }
        let detail = String(cString: errorText)
        let message = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_ISSUER_ERROR:
            return .certificateRefused(
                code == CURLE_SSL_PINNEDPUBKEYNOTMATCH ? "it has another public key" : plain(message))
        // Another kind of server, or a port for plain HTTP.
        case CURLE_SSL_CONNECT_ERROR where message.contains("wrong version number"):
            return .noConnection("it answered without TLS")
        case CURLE_SSL_CONNECT_ERROR where isOfSignature(message):
            return .certificateRefused("its signature does not match the root it names")
        case CURLE_COULDNT_CONNECT: return .noConnection(systemMessage ?? message)
        case CURLE_SSL_CONNECT_ERROR: return .noConnection(handshakeFailure(message))
        case CURLE_COULDNT_RESOLVE_HOST: return .noConnection(message)
        case CURLE_OPERATION_TIMEDOUT: return isSent ? .timedOut : .noConnection("no answer in time")
        // Before sending, the URL's scheme is wrong; afterwards, the response was not HTTP.
        case CURLE_UNSUPPORTED_PROTOCOL: return isSent ? .broken(message) : .invalid(message)
        case CURLE_URL_MALFORMAT, CURLE_SSL_CACERT_BADFILE: return .invalid(message)
        default: return .broken(message)
        }
    }

    /// Whether OpenSSL rejected a signature: the certificate was not signed by the root it names. libcurl reports this
    /// as a failed handshake, because the error comes from OpenSSL's crypto library rather than its TLS library.
    private func isOfSignature(_ message: String) -> Bool {
        ["asn1 encoding routines", "rsa routines", "x509 certificate routines", "elliptic curve routines"]
            .contains { message.contains($0) }
    }

    /// Why a TLS handshake failed. libcurl's message names the host and port of the URL, which are not where the
    /// connection went: "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to ecb5fafffe010203:443 ".
    private func handshakeFailure(_ message: String) -> String {
        if ["SSL_ERROR_SYSCALL", "Connection reset", "Broken pipe", "unexpected eof"].contains(where: message.contains)
        {
            return "it closed the connection during the TLS handshake"
        }
        if message.contains("bad record mac") { return "the TLS connection was damaged on the way" }
        // OpenSSL's reason ends its message: "error:0A0000F4:SSL routines::unexpected message".
        let parts = message.split(separator: "::")
        guard parts.count > 1, let reason = parts.last else { return "the TLS handshake failed" }
        return "the TLS handshake failed: \(reason)"
    }

    /// libcurl's message without its prefix: "certificate has expired".
    private func plain(_ message: String) -> String {
        var message = message[...]
        for prefix in ["SSL certificate problem: ", "SSL: "] where message.hasPrefix(prefix) {
            message = message.dropFirst(prefix.count)
        }
        return String(message)
    }

    /// The system's error for the last connection attempt: "connection refused" instead of "couldn't connect to
    /// server".
    private var systemMessage: String? {
        var number = 0
        guard ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK, number != 0 else { return nil }
        return String(cString: strerror(Int32(number))).lowercased()
    }

    /// The error of a transfer whose connection is given up.
    var dropped: CurlError {
        isSent ? .broken("the connection was given up") : .noConnection("the connection was given up")
    }

    private var isSent: Bool {
        var bytes = 0
        _ = ccurl_get_long(easy, CURLINFO_REQUEST_SIZE, &bytes)
        return bytes > 0
    }

    private var certificate: String? {
        guard request.wantsCertificate else { return nil }
        var chain: UnsafeMutablePointer<curl_certinfo>?
        guard ccurl_get_certificates(easy, &chain) == CURLE_OK, let chain, chain.pointee.num_of_certs > 0 else {
            return nil
        }
        // The first certificate is the server's own. It is a list of fields; "Cert:" is the PEM.
        var line = chain.pointee.certinfo[0]
        while let field = line {
            let text = String(cString: field.pointee.data)
            if text.hasPrefix("Cert:") { return String(text.dropFirst(5)) }
            line = field.pointee.next
        }
        return nil
    }
}

@available(*, unavailable, message: "An easy handle belongs to the engine's thread.")
extension Transfer: Sendable {}

extension Duration {
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
