import CZlib

/// The bytes in gzip's format, as small as zlib makes them; `nil` if zlib fails, as it does without memory.
func gzipped(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard czlib_begin_gzip(&stream) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
    let code = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
            (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(output.count))
            return deflate(&stream, Z_FINISH)
        }
    }
    return code == Z_STREAM_END ? Array(output.prefix(Int(stream.total_out))) : nil
}
