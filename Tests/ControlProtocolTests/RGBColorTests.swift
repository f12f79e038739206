import ControlProtocol
import Testing

@Suite struct RGBColorTests {
    @Test func `every hex colour survives a round trip`() throws {
        for number in stride(from: 0, through: 0xFFFFFF, by: 4099) {
            let digits = String(number, radix: 16)
            let hex = "#" + String(repeating: "0", count: 6 - digits.count) + digits
            let color = try #require(RGBColor(hex))
            #expect(color.hex == hex)
            #expect(RGBColor(String(hex.dropFirst()).uppercased()) == color)
        }
    }

    @Test func `a colour gives back its hue and saturation`() {
        for hue in stride(from: 0.0, to: 360, by: 7) {
            for saturation in stride(from: 5.0, through: 100, by: 9.5) {
                let color = RGBColor(hue: hue, saturation: saturation)
                #expect(abs(color.hue - hue) < 1e-6 && abs(color.saturation - saturation) < 1e-6)
            }
        }
        #expect(RGBColor(hue: -60, saturation: 100) == RGBColor(hue: 300, saturation: 100))
        #expect(RGBColor(hue: 360, saturation: 100) == RGBColor("#f00"))
    }

    @Test func `every name is a colour, whatever its case`() {
        for (name, color) in RGBColor.names {
            #expect(RGBColor(name.uppercased()) == color && RGBColor(color.hex) == color)
        }
    }

    @Test(arguments: ["", "#", "#12", "#12345", "#1234567", "#ggg", "oragne", "#１２３", "+12345"])
    func `what is not a colour is refused`(text: String) { #expect(RGBColor(text) == nil) }

    @Test func `three hex digits mean six`() { #expect(RGBColor("#f80") == RGBColor("#ff8800")) }

    @Test func `the warmer the white, the less blue it is`() {
        let blues = stride(from: 50, through: 600, by: 10).map { RGBColor(mirek: $0).blue }
        #expect(zip(blues, blues.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(blues.first! > blues.last!)
    }

    @Test(arguments: [Int.min, -1, 0, 1, Int.max]) func `any number of mirek gives a colour`(mirek: Int) {
        #expect(RGBColor(mirek: mirek).hex.count == 7)
    }
}
