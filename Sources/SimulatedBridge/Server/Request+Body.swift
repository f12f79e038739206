import Hummingbird
import NIOCore

extension Request {
    /// The whole body; `nil` if it is longer than a megabyte or the client disconnected.
    ///
    /// A body that is too long is read nevertheless, up to 64 MiB: a client that is still writing would not see the
    /// response.
    func wholeBody() async -> ByteBuffer? {
        let (longest, limit) = (1 << 20, 1 << 26)
        var whole = ByteBuffer()
        var count = 0
        do {
            for try await piece in body {
                count += piece.readableBytes
                if count <= longest { whole.writeImmutableBuffer(piece) }
                if count > limit { break }
            }
        } catch {
            return nil
        }
        return count > longest ? nil : whole
    }
}
