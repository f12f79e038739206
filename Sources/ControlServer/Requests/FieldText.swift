/// Text of a request's head, judged by its bytes as RFC 9110 defines it. For a `Character`, a comma with a combining mark
/// would be none, and the sign of the kelvin would be the letter "k".
extension StringProtocol {
    /// The elements of a list, such as that of `Accept-Encoding`, without the blanks around them; empty ones do not count.
    func elements(separatedBy separator: Unicode.Scalar = ",") -> [Substring] {
        let byte = UInt8(ascii: separator)
        return Substring(self).utf8.split(separator: byte).compactMap { bytes in
            var bytes = bytes
            while bytes.first.map(isBlank) == true { bytes.removeFirst() }
            while bytes.last.map(isBlank) == true { bytes.removeLast() }
            return bytes.isEmpty ? nil : Substring(bytes)
        }
    }

    /// Whether all of it is ASCII that is seen, in which every byte is a `Character`. All names, addresses and origins
    /// that lightd answers to are.
    var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// What follows a prefix of ASCII, whose letters may be in either case; `nil` if it does not begin with that.
    func after(_ prefix: StaticString) -> Substring? {
        let prefix = prefix.withUTF8Buffer { $0.map(small) }
        let bytes = Substring(self).utf8
        return bytes.prefix(prefix.count).map(small) == prefix ? Substring(bytes.dropFirst(prefix.count)) : nil
    }

    /// Whether both are the same in ASCII, but for the case of its letters.
    func isSame(as text: StaticString) -> Bool { after(text)?.isEmpty == true }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

private func small(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
