/// A device with a serial number: a lamp, a switch, the bridge itself. Its services are the resources that do
/// something.
public struct DeviceResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let metadata: Metadata?
    public let productData: ProductData?
    public let services: [ResourceReference]

    enum CodingKeys: String, CodingKey {
        case id, metadata, services
        case productData = "product_data"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        metadata = container.feature(.metadata)
        productData = container.feature(.productData)
        services = container.list(.services)
    }

    public init(
        id: ResourceID, metadata: Metadata?, productData: ProductData? = nil, services: [ResourceReference] = []
    ) {
        self.id = id
        self.metadata = metadata
        self.productData = productData
        self.services = services
    }
}
