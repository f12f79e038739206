import CCurl
import Glibc
import Synchronization

/// The thread that owns the multi handle and every easy handle. Orders come in through a queue; `curl_multi_wakeup` is the one
/// function of libcurl that is called from other threads, as its manual allows.
final class Engine: Sendable {
    private enum Order: Sendable {
        case begin(HTTPRequest, Flight, Listener)
        case cancel(Flight)
    }

    private struct Desk: ~Copyable {
        var orders: [Order] = []
        var isClosed = false
        /// Set while the thread lives; `nil` once the multi handle is freed, so that nobody wakes a ghost.
        var multi: Handle?
    }

    /// A raw pointer may not travel between threads by itself. This one does: it is only used under the desk's lock, for
    /// `curl_multi_wakeup`, and by the thread that owns it.
    private struct Handle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private let desk = Mutex(Desk())

    /// Begins the thread, which lives until ``stop()``.
    func start() {
        // Thread-safe from libcurl 7.84 on; before, the first client must be made on one thread. Debian 12 has 7.88.
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard let pointer = curl_multi_init() else { return desk.withLock { $0.isClosed = true } }
        _ = ccurl_multi_set_long(pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        desk.withLock { $0.multi = Handle(pointer: pointer) }
        var thread = pthread_t()
        // +1, paid back by the thread's first line.
        let myself = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Engine>.fromOpaque(context).takeRetainedValue().work()
                return nil
            },
            myself.toOpaque()
        )
        guard code == 0 else {
            myself.release()
            curl_multi_cleanup(pointer)
            return desk.withLock { $0 = Desk(isClosed: true) }
        }
        pthread_detach(thread)
    }

    func begin(_ request: HTTPRequest, _ flight: Flight, _ listener: Listener) {
        guard post(.begin(request, flight, listener)) else { return listener.fail(.closed) }
    }

    func cancel(_ flight: Flight) {
        // A flight that has not begun yet sees the mark when it does.
        guard flight.callOff() else { return }
        _ = post(.cancel(flight))
    }

    func stop() {
        desk.withLock { desk in
            desk.isClosed = true
            if let multi = desk.multi { curl_multi_wakeup(multi.pointer) }
        }
    }

    private func post(_ order: Order) -> Bool {
        desk.withLock { desk in
            guard !desk.isClosed, let multi = desk.multi else { return false }
            desk.orders.append(order)
            curl_multi_wakeup(multi.pointer)
            return true
        }
    }

    // MARK: - On the thread

    private func work() {
        guard let multi = desk.withLock({ $0.multi?.pointer }) else { return }
        var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
        while true {
            let (orders, isClosed) = desk.withLock { desk in
                defer { desk.orders = [] }
                return (desk.orders, desk.isClosed)
            }
            for order in orders { carryOut(order, multi, &transfers) }
            if isClosed { break }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            reap(multi, &transfers)
            // Woken by a socket, by a timeout of libcurl's own, or by an order; the bound is never reached in silence only.
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
        for transfer in transfers.values {
            curl_multi_remove_handle(multi, transfer.easy)
            transfer.finish(.closed)
        }
        transfers = [:]
        desk.withLock { $0.multi = nil }
        curl_multi_cleanup(multi)
    }

    private func carryOut(
        _ order: Order, _ multi: UnsafeMutableRawPointer, _ transfers: inout [UnsafeMutableRawPointer: Transfer]
    ) {
        switch order {
        case let .begin(request, flight, listener):
            guard !flight.isCalledOff else { return listener.fail(.cancelled) }
            do {
                let transfer = try Transfer(request, flight, listener)
                let code = curl_multi_add_handle(multi, transfer.easy)
                guard code == CURLM_OK else {
                    return listener.fail(.invalid("libcurl: \(String(cString: curl_multi_strerror(code)))"))
                }
                transfers[transfer.easy] = transfer
            } catch {
                listener.fail(error)
            }
        case let .cancel(flight):
            guard let transfer = transfers.values.first(where: { $0.flight === flight }) else { return }
            transfers[transfer.easy] = nil
            curl_multi_remove_handle(multi, transfer.easy)
            transfer.finish(.cancelled)
        }
    }

    private func reap(_ multi: UnsafeMutableRawPointer, _ transfers: inout [UnsafeMutableRawPointer: Transfer]) {
        var easy: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while ccurl_multi_next_ended(multi, &easy, &code) != 0 {
            guard let ended = easy, let transfer = transfers.removeValue(forKey: ended) else { continue }
            transfer.finish(code)
            curl_multi_remove_handle(multi, ended)
        }
    }
}

extension Listener {
    func fail(_ error: CurlError) {
        switch self {
        case let .whole(answer): answer(.failure(error))
        case let .pieces(head, slot):
            head(.failure(error))
            slot.finish(throwing: error)
        }
    }
}
