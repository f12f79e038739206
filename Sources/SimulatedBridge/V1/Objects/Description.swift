import HueWire

extension SimulatedHome.Bridge {
    /// `/description.xml`, to which SSDP points; `nil` on a Bridge Pro, which has none (ebaauw/homebridge-hue#1219).
    ///
    /// - Parameter authority: the bridge's address as the client wrote it, with the port unless it is 80.
    func description(at authority: String) -> String? {
        guard model != .pro else { return nil }
        let mac = BridgeID.mac(of: id).filter { $0 != ":" }
        let host = authority.withoutPort
        let product = model == .round ? "Philips hue bridge 2012" : "Philips hue bridge 2015"
        return """
            <?xml version="1.0" encoding="UTF-8" ?>
            <root xmlns="urn:schemas-upnp-org:device-1-0">
            <specVersion><major>1</major><minor>0</minor></specVersion>
            <URLBase>http://\(authority)/</URLBase>
            <device>
            <deviceType>urn:schemas-upnp-org:device:Basic:1</deviceType>
            <friendlyName>\(name.inXML) (\(host.inXML))</friendlyName>
            <manufacturer>\(model == .deconz ? "dresden elektronik" : "Signify")</manufacturer>
            <manufacturerURL>http://www.philips-hue.com</manufacturerURL>
            <modelDescription>Philips hue Personal Wireless Lighting</modelDescription>
            <modelName>\(product)</modelName>
            <modelNumber>\(model.rawValue)</modelNumber>
            <serialNumber>\(mac)</serialNumber>
            <UDN>uuid:2f402f80-da50-11e1-9b23-\(mac)</UDN>
            </device>
            </root>

            """
    }
}

extension String {
    fileprivate var inXML: String {
        reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.append(character)
            }
        }
    }
}
