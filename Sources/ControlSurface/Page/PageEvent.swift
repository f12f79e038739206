import ControlProtocol
import HashTreeCollections
import Lighting

/// One event of the page's stream.
public typealias PageEvent = SurfaceEvent<PageEventName>

public enum PageEventName: String, Sendable, CaseIterable {
    /// The whole ``PageModel``.
    case page
    /// One ``PageTile`` that is new or has changed.
    case tile
    /// The ``PageFrame``. Tiles that it does not name are gone.
    case frame
    /// Automations are others than before, or have done something: who shows them reads them again.
    case automations
}

/// That something is to be read again.
struct PageNews: Encodable {
    let changed = true
}

extension Directory {
    /// What the page shows differently than before: the tiles, then the frame, which may name new ones.
    public func pageEvents(since before: Directory, for reader: PageReader) throws -> [PageEvent] {
        var (presenter, former) = (PagePresenter(self, reader), PagePresenter(before, reader))
        var events: [PageEvent] = []
        let mayDiffer = touched(since: before)
        for target in presenter.targets where mayDiffer(target) {
            guard let tile = presenter.tile(of: target), tile != former.tile(of: target) else { continue }
            events.append(try PageEvent(.tile, tile))
        }
        let frame = presenter.frame
        if frame != former.frame { events.append(try PageEvent(.frame, frame)) }
        if !state.automations.isListed(like: before.state.automations) {
            events.append(try PageEvent(.automations, PageNews()))
        }
        return events
    }

    /// Tells whether a target's tile is to be made and compared. Nearly always only a few lights have changed.
    private func touched(since before: Directory) -> (Target) -> Bool {
        // Names and places stand in many tiles, a pin's place in all that are pinned; where the home is tells what can
        // follow the day.
        guard time == before.time, tables.pagePlaces === before.tables.pagePlaces, dashboard == before.dashboard,
            !state.followings.rendersDifferently(from: before.state.followings)
        else {
            return { _ in true }
        }
        let changed = changedLights(since: before)
        return { [state] target in
            switch target {
            case let .light(id): changed.contains(id)
            case let .room(id): state.rooms[id]?.lights.contains { changed.contains($0) } ?? true
            case .all: !changed.isEmpty
            }
        }
    }
}
