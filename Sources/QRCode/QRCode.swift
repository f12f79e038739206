import CQREncode

/// A QR code (ISO/IEC 18004) of error correction level M: readable with up to 15 % of it damaged.
public struct QRCode: Equatable, Sendable {
    /// From the top, each from the left; true is dark. As many rows as columns: 21 to 177, without the quiet zone,
    /// which is to be four modules wide.
    public let rows: [[Bool]]

    public struct TooLong: Error, Equatable {
        /// How many bytes of UTF-8 the text has.
        public let count: Int
    }

    /// - Parameter text: at most 2331 bytes of UTF-8; 84 of them still make a code that a terminal of 80 columns and 24
    ///   rows can show.
    /// - Throws: ``TooLong``.
    public init(_ text: String) throws(TooLong) {
        let bytes = Array(text.utf8)
        guard let code = QRcode_encodeData(CInt(bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            // Memory for a code cannot run out, and a text of no bytes has no code.
            throw TooLong(count: bytes.count)
        }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        // The lowest bit of each byte is the module's colour.
        let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
        rows = (0..<width).map { Array(modules[$0 * width..<($0 + 1) * width]) }
    }
}
