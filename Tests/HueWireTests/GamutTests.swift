import Testing

@testable import HueWire

@Suite struct GamutTests {
    static let gamuts = [
        Gamut.a, .b, .c,
        // The corners in the other order, because bridges guarantee none.
        Gamut(red: Gamut.c.red, green: Gamut.c.blue, blue: Gamut.c.green),
    ]

    @Test(arguments: gamuts) func `the nearest point is inside, and no other point of the border is nearer`(
        gamut: Gamut
    ) {
        for point in Self.grid {
            let held = gamut.nearest(to: point)
            #expect(gamut.contains(held))
            #expect(gamut.nearest(to: held) == held, "a limited point stays")
            guard !gamut.contains(point) else {
                #expect(held == point, "a point inside stays")
                continue
            }
            let nearest = gamut.border.map { $0.distance(to: point) }.min()!
            let distance = held.distance(to: point)
            #expect(distance <= nearest + 1e-12, "\(point)")
            // The border is sampled in steps of less than four thousandths.
            #expect(distance >= nearest - 4e-3, "\(point)")
        }
    }

    @Test(arguments: gamuts) func `corners, edges and the middle are inside`(gamut: Gamut) {
        for point in gamut.border { #expect(gamut.contains(point)) }
        let corners = [gamut.red, gamut.green, gamut.blue]
        let middle = XY(x: corners.map(\.x).reduce(0, +) / 3, y: corners.map(\.y).reduce(0, +) / 3)
        #expect(gamut.contains(middle))
        for corner in corners {
            let beyond = XY(x: corner.x + (corner.x - middle.x) * 0.01, y: corner.y + (corner.y - middle.y) * 0.01)
            #expect(!gamut.contains(beyond))
        }
    }

    @Test func `a degenerate triangle limits nothing`() {
        let zero = XY(x: 0, y: 0)
        for flat in [
            Gamut(red: zero, green: zero, blue: zero),
            Gamut(red: zero, green: XY(x: 0.5, y: 0.5), blue: XY(x: 0.25, y: 0.25)),
        ] {
            #expect(flat.isDegenerate)
            #expect(flat.nearest(to: XY(x: 0.7, y: 0.2)) == XY(x: 0.7, y: 0.2))
        }
        for gamut in Self.gamuts { #expect(!gamut.isDegenerate) }
    }

    private static let grid = stride(from: 0.0, through: 0.8, by: 0.05).flatMap { x in
        stride(from: 0.0, through: 0.9, by: 0.05).map { XY(x: x, y: $0) }
    }
}

extension Gamut {
    fileprivate var border: [XY] {
        [(red, green), (green, blue), (blue, red)].flatMap { from, to in
            (0...200).map { step in
                let part = Double(step) / 200
                return XY(x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part)
            }
        }
    }
}
