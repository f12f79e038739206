import ControlProtocol
import TestSupport
import Testing

@Suite struct LightColorTests {
    @Test(arguments: 0..<200) func `a colour survives being written and read`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        func share() -> Double { Double.random(in: 0...1, using: &random) }
        let x = share()
        let channels = (0..<3).map { _ in Double(Int.random(in: 0...255, using: &random)) / 255 }
        let colors: [LightColor] = [
            .rgb(RGBColor(red: channels[0], green: channels[1], blue: channels[2])),
            .hsb(hue: (share() * 36_000).rounded() / 100, saturation: (share() * 100).rounded(), brightness: 40),
            .xy(x: x, y: (1 - x) * max(share(), 0.01)), .white(mirek: Int.random(in: 50...1000, using: &random)),
        ]
        for color in colors {
            let text = color.description
            #expect(try LightColor(text) == color)
            #expect(try LightColor(text.uppercased()) == color)
            #expect(try LightColor(" " + text.replacing(",", with: " , ") + " ") == color)
        }
    }

    @Test func `all 148 names of CSS are colours`() throws {
        #expect(RGBColor.names.count == 148)
        for (name, color) in RGBColor.names { #expect(try LightColor(name.uppercased()) == .rgb(color)) }
    }

    @Test(arguments: [
        ("rgb(255,0,0)", "red"), ("rgb(100%, 0%, 0%)", "red"), ("RGB( 255 0 0 )", "red"), ("rgb(100%,0,0)", "#f00"),
        ("rgb(255,165,0)", "orange"), ("ffa500", "orange"), ("Light Blue", "lightblue"), ("2700 K", "370mirek"),
        ("2700kelvin", "370mirek"), ("370 mired", "370mirek"), ("hsv(30,100,80)", "hsb(30°,100%,80%)"),
        ("hsb(30deg 100% 80%)", "hsb(30, 100, 80)"), ("xy(0.6 0.3)", "xy(0.6,0.3)"),
    ])
    func `one colour can be written in several ways`(text: String, same: String) throws {
        #expect(try LightColor(text) == LightColor(same))
    }

    @Test(arguments: [
        ("oragne", "not a colour: did you mean 'orange'?"), ("", "not a colour: use a CSS name"),
        ("rgb(256,0,0)", "rgb() takes three values"), ("rgb(-1,0,0)", "rgb() takes three values"),
        ("rgb(1,2)", "rgb() takes three values"), ("rgb(1,,2,3)", "rgb() takes three values"),
        ("rgb(1,2,3", "not a colour"), ("rgb(1,2,3,4)", "rgb() takes three values"),
        ("hsb(361,0,0)", "hsb() takes degrees"), ("hsb(30%,0,0)", "hsb() takes degrees"),
        ("xy(0.6,0.5)", "xy() takes two values"), ("xy(0.6,0)", "xy() takes two values"),
        ("xy(60%,30%)", "xy() takes two values"), ("hsl(0,0,0)", "not a colour: use"),
        ("500K", "out of range: use 1000K to 20000K"), ("20mirek", "out of range: use 50mirek to 1000mirek"),
        ("-2700K", "not a temperature"), ("rgb(1e2,0,0)", "rgb() takes three values"),
    ])
    func `what is not a colour is refused with what was expected`(text: String, words: String) {
        let mistake = #expect(throws: LightColor.Mistake.self) { try LightColor(text) }
        #expect(mistake?.description.contains(words) == true, "\(mistake?.description ?? "")")
    }
}
