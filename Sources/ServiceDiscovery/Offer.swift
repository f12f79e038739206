/// What a registration asks of avahi, checked and in dns_sd's terms.
struct Offer: Sendable {
    var name: String
    var type: String
    var port: Int

    /// nil is this machine.
    var host: String?

    /// An index; 0 is every interface.
    var interface: UInt32

    /// A whole TXT record.
    var text: [UInt8]
}
