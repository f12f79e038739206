import Hummingbird
import NIOCore

extension Request {
    /// The whole body; `nil` where it is longer than a megabyte, or the client left in the middle of it.
    ///
    /// What is too long is read to its end all the same, within reason: who still writes does not hear an answer, and takes it for a
    /// broken connection.
    func wholeBody() async -> ByteBuffer? {
        let (longest, patience) = (1 << 20, 1 << 26)
        var whole = ByteBuffer()
        var count = 0
        do {
            for try await piece in body {
                count += piece.readableBytes
                if count <= longest { whole.writeImmutableBuffer(piece) }
                if count > patience { break }
            }
        } catch {
            return nil
        }
        return count > longest ? nil : whole
    }
}
