/// The parameters of a registration, checked and in dns_sd's terms.
struct ServiceOffer: Sendable {
    var name: String
    var type: String
    var port: Int

    /// `nil` is this machine.
    var host: String?

    /// An interface index; 0 is every interface.
    var interface: UInt32

    /// The whole TXT record in wire format.
    var text: [UInt8]
}
