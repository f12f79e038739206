import { act, fetched } from './act.js'
import { perform } from './api.js'
import { byID, drawing, element, setAttribute, setChildren, setStyle, setText } from './dom.js'
import { followDrag, rove } from './gestures.js'
import { openPairing } from './pairing.js'
import { page } from './page.js'
import { forgetOver, isPutAway, putAway } from './putaway.js'
import { inOrder, isFolded, keepFold, keepOrder, paintRooms } from './rooms.js'
import { openSaver, openScene, recall, withPins } from './scenes.js'
import { closeSheet } from './sheet.js'
import { text } from './text.js'
import { TileView } from './tile.js'
import { say } from './toast.js'
import { everyMinute, withTime } from './times.js'
import { paintTimetable } from './timetable.js'

const sections = new Map()
const notices = new Map()
/** The notice that no bridge is paired. */
const invitation = 'pair'
/** While the rooms are put in another order: `stop`, and the `ids` that have handles. */
let arranging = null

/** Shows the frame: what stands there already stays, whatever else has changed. */
export function paintHouse(frame, isFirst) {
  setText(byID('title'), frame.title)
  setText(byID('summary'), page.isConnected ? frame.summary : text`As last seen`)
  document.title = frame.title
  paintTimetable(frame)
  paintNotices(frame, !isFirst)
  const shown = inOrder(withPins(frame.sections)).map((model) => {
    if (!sections.has(model.id)) sections.set(model.id, new SectionView(model))
    const section = sections.get(model.id)
    section.paint(model)
    return section.node
  })
  for (const [id, section] of sections) {
    if (shown.includes(section.node)) continue
    section.remove()
    sections.delete(id)
  }
  setChildren(byID('sections'), shown)
  paintRooms(rooms())
  // Another room, or one less: the handles are of those that were.
  if (arranging && arranging.ids !== ids()) {
    stopArranging()
    if (rooms().length > 1) startArranging()
    else repaint()
  }
  paintEmpty(frame)
}

/** As they stand on the page. */
const rooms = () => [...byID('sections').children].map(({ id }) => sections.get(id))
  .filter(({ model }) => model.kind !== 'pinned')
const repaint = () => sections.forEach((section) => section.paint(section.model))
const ids = () => rooms().map(({ model }) => model.id).join()

/** Takes everything off the page. */
export function clearHouse() {
  stopArranging()
  sections.forEach((section) => section.remove())
  sections.clear()
  paintRooms([])
  notices.clear()
  byID('notices').replaceChildren()
  paintTimetable({ upcoming: [] })
  byID('empty').hidden = true
}

/** The notice that says why there are no lights: it gets the whole page. */
const headline = ({ sections, notices }) => sections.length ? null : notices[0] ?? null

function paintNotices(frame, isNews = false) {
  forgetOver(frame)
  const wanted = frame.notices.filter((notice) => notice !== headline(frame) && !isPutAway(notice))
  const shown = wanted.map(({ id, kind, title, text: words, at, causes }) => {
    if (!notices.has(id)) {
      const button = causes.length ? element('button', { class: 'link', type: 'button', click: () => hide(id) },
        text`Put away`) : null
      notices.set(id, element('p', { class: 'notice' }, element('strong', {}), element('span', {}), button))
      // Said once: a live region would be read again whenever the time in it is worded anew.
      if (isNews) say(`${title} ${withTime(words, at)}`)
    }
    const notice = notices.get(id)
    setAttribute(notice, 'data-kind', kind)
    setText(notice.children[0], title)
    setText(notice.children[1], withTime(words, at))
    return notice
  })
  for (const [id, notice] of notices) if (!shown.includes(notice)) notices.delete(id)
  setChildren(byID('notices'), shown)
}

/** Until it is about something else, too. */
function hide(id) {
  const notice = page.frame?.notices.find((notice) => notice.id === id)
  if (!notice) return
  putAway(notice)
  paintNotices(page.frame)
  say(text`Put away.`)
  // The button is gone; what comes next in reading order is near.
  const next = byID('notices').querySelector('button') ?? byID('sections').querySelector('.surface')
  next?.focus()
}

everyMinute(() => {
  if (!page.frame) return
  sections.forEach((section) => section.paintSensed())
  paintNotices(page.frame)
  paintEmpty(page.frame)
})

function paintEmpty(frame) {
  const empty = byID('empty')
  const notice = headline(frame)
  empty.hidden = !notice
  if (!notice) return
  const { id, title, at } = notice
  const why = withTime(notice.text, at)
  const words = `${title} ${why} ${page.access}`
  // Made once: a button that is focused stays.
  if (empty.dataset.words === words) return
  empty.dataset.words = words
  empty.replaceChildren(element('h2', {}, title), element('p', {}, why))
  if (id === invitation && page.may('manage')) {
    empty.append(element('button', { class: 'pill strong', type: 'button', click: openPairing }, text`Pair a bridge`))
  }
}

// MARK: The order of the rooms

/** Shows the rooms folded, with handles by which they are put in this browser's order. */
export const arrangeRooms = () => act(async () => {
  await loadArrange()
  closeSheet()
  if (rooms().length < 2) return
  startArranging()
  byID('sections').querySelector('.handle').focus()
})

let arrange = null
const loadArrange = async () => { arrange ??= (await fetched(() => import('./arrange.js'))).arrange }

function startArranging() {
  const bar = element('div', { class: 'arrange' },
    element('p', {}, text`Drag the rooms, or move them with the arrow keys.`),
    element('button', { class: 'pill strong', type: 'button', click: leaveArranging }, text`Done`))
  byID('sections').before(bar)
  arranging = { ids: ids(), stop: () => bar.remove() }
  repaint()
  const parts = rooms().map(({ node, model }) => ({ node, title: () => model.title }))
  const takeOff = arrange(byID('sections'), parts, () => {
    keepOrder(rooms().map(({ model }) => model.id))
    arranging.ids = ids()
    paintRooms(rooms())
  })
  arranging.stop = () => {
    takeOff()
    bar.remove()
  }
}

function stopArranging() {
  const { stop } = arranging ?? {}
  arranging = null
  stop?.()
}

function leaveArranging() {
  stopArranging()
  repaint()
  byID('menu').focus()
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || byID('sheet').open) return
  if (arranging) leaveArranging()
  else sections.forEach((section) => section.leaveArranging())
})

let folds = 0

class SectionView {
  #tiles = new Map()
  #scenes = new Map()
  #arranging = null
  #arrangeButton = null
  #saveButton = null
  #fold = null
  #isFolded = false
  model

  constructor(model) {
    const { id, kind, whole } = this.model = model
    const heading = `section-${id.replace(/[^\w-]/g, '-')}`
    // The tile of the whole room is its heading to the eye.
    this.title = element('h2', { id: heading, dir: 'auto', class: whole ? 'unseen' : false })
    this.summary = element('p', {})
    this.sensed = element('p', { class: 'sensed' })
    this.chips = element('div', { class: 'scenes', role: 'toolbar', 'aria-label': text`Scenes` })
    rove(this.chips)
    folds += 1
    this.lead = element('div', { class: 'lead' })
    this.grid = element('div', { class: 'grid', id: `lamps-${folds}` })
    this.heading = element('div', { class: 'heading' }, ...(whole ? [] : [this.title, this.summary]))
    this.node = element('section', { id, 'aria-labelledby': heading, 'data-kind': kind },
      whole ? this.title : this.heading, this.lead, this.sensed, this.chips, this.grid)
    if (kind === 'pinned') {
      this.#arrangeButton = element('button', {
        class: 'chip', type: 'button', click: () => act(() => this.#toggleArranging())
      })
      this.heading.append(this.chips)
      return
    }
    this.#isFolded = isFolded(model, page.frame)
    this.#fold = element('button', {
      class: 'fold', type: 'button', 'aria-controls': this.grid.id, click: () => this.fold(!this.#isFolded)
    }, drawing('M9 5l7 7-7 7'))
    if (!whole) this.heading.prepend(this.#fold)
  }

  remove() {
    this.#stopArranging()
    this.#tiles.forEach((tile) => tile.remove())
    this.node.remove()
  }

  /** Without its lamps a room is its slim tile, which stays where it is. */
  fold(isFolded) {
    if (isFolded === this.#isFolded || this.#fold.hidden) return
    this.#isFolded = isFolded
    keepFold(this.model.id, isFolded)
    const top = this.node.getBoundingClientRect().top
    this.paint(this.model)
    scrollBy({ top: this.node.getBoundingClientRect().top - top, behavior: /** @type {ScrollBehavior} */ ('instant') })
  }

  /** Leads the eye and the keyboard here. */
  enter(unfolds) {
    if (unfolds) this.fold(false)
    this.node.scrollIntoView({ behavior: 'instant' })
    this.node.querySelector('.surface, .fold')?.focus({ preventScroll: true })
  }

  paint(model) {
    const wasArranging = this.#arranging !== null
    const keys = (model) => model?.tiles.join()
    if (wasArranging && keys(model) !== keys(this.model)) this.#stopArranging()
    this.model = model
    setText(this.title, model.title)
    setText(this.summary, model.summary)
    this.paintSensed()
    this.#paintScenes(model)
    const folds = this.#paintFold()
    this.node.hidden = arranging !== null && model.kind === 'pinned'
    const wanted = [...(model.whole ? [model.whole] : []), ...(folds ? [] : model.tiles)]
      .filter((key) => page.lamps.has(key))
    for (const [key, tile] of this.#tiles) {
      if (wanted.includes(key) && tile.lamp === page.lamps.get(key)) continue
      tile.remove()
      this.#tiles.delete(key)
    }
    const nodes = wanted.map((key) => {
      if (!this.#tiles.has(key)) this.#tiles.set(key, this.#tile(key))
      return this.#tiles.get(key).node
    })
    const isLed = nodes.length > 0 && wanted[0] === model.whole
    setChildren(this.lead, isLed ? nodes.slice(0, 1) : [])
    setChildren(this.grid, isLed ? nodes.slice(1) : nodes)
    if (wasArranging && this.#arranging === null) this.#startArranging()
    if (!this.#arrangeButton) return
    const mayArrange = model.tiles.some((key) => page.lamps.get(key)?.can('pin'))
    this.#arrangeButton.hidden = (!mayArrange || model.tiles.length < 2) && this.#arranging === null
    setText(this.#arrangeButton, this.#arranging ? text`Done` : text`Arrange`)
    setAttribute(this.#arrangeButton, 'aria-pressed', this.#arranging ? 'true' : 'false')
  }

  /** What the room's sensors say; as time passes, in other words. */
  paintSensed() {
    const { sensed } = this.model
    this.sensed.hidden = !sensed
    if (sensed) setText(this.sensed, withTime(sensed.text, sensed.at))
  }

  #tile(key) {
    const lamp = page.lamps.get(key)
    if (key !== this.model.whole) return new TileView(lamp)
    // One step in: to the lamps, and from there to the sheet.
    const tap = () => {
      if (this.#fold.hidden || !this.#isFolded) return false
      this.fold(false)
      return true
    }
    return new TileView(lamp, true, { tap, button: this.#fold })
  }

  /** Returns whether it is folded. */
  #paintFold() {
    if (!this.#fold) return false
    const { title, tiles, scenes } = this.model
    this.#fold.hidden = !tiles.length && !scenes.length
    const isFolded = !this.#fold.hidden && (this.#isFolded || arranging !== null)
    setAttribute(this.#fold, 'aria-expanded', String(!isFolded))
    setAttribute(this.#fold, 'aria-label', tiles.length ? text`Lamps of ${title}` : text`Scenes of ${title}`)
    this.chips.hidden = this.grid.hidden = isFolded
    return isFolded
  }

  #paintScenes({ kind, title: place, scenes, tiles }) {
    const shown = scenes.map(({ id, title, look, active, moves, detail }) => {
      if (!this.#scenes.has(id)) this.#scenes.set(id, this.#chip(id))
      const chip = this.#scenes.get(id)
      const [picture, name, state] = chip.children
      setText(name, title)
      setText(state, detail)
      setStyle(picture, '--look', look.length > 1
        ? `conic-gradient(${[...look, look[0]].join(', ')})` : look[0] ?? 'none')
      setAttribute(picture, 'data-unknown', !look.length)
      setAttribute(chip, 'data-moves', moves)
      if (!page.may('change')) chip.hidden = !active
      else setAttribute(chip, 'aria-pressed', active ? 'true' : 'false')
      return chip
    })
    for (const [id, chip] of this.#scenes) if (!shown.includes(chip)) this.#scenes.delete(id)
    const last = this.#arrangeButton ?? (['room', 'zone'].includes(kind) && tiles.length && page.may('manage')
      ? this.#plus(place) : null)
    setChildren(this.chips, last ? [...shown, last] : shown)
  }

  /** Behind the scenes of a room. */
  #plus(place) {
    this.#saveButton ??= element('button', {
      class: 'chip plus', type: 'button', 'aria-haspopup': 'dialog', click: () => openSaver(this.model)
    }, drawing('M12 5v14M5 12h14'))
    setAttribute(this.#saveButton, 'aria-label', text`Save what ${place} shows as a scene`)
    return this.#saveButton
  }

  #chip(id) {
    const parts = [element('i', { class: 'look' }), element('span', { dir: 'auto' }), element('small', {})]
    if (!page.may('change')) return element('span', { class: 'chip' }, ...parts)
    const scene = () => this.model.scenes.find((scene) => scene.id === id)
    // It may be gone by the time that a finger has rested.
    const more = () => { if (scene()) openScene(scene(), scene().place ?? this.model.title) }
    const chip = element('button', { class: 'chip', type: 'button' }, ...parts)
    const wasNoTap = followDrag(chip, { canDrag: () => false, hold: more })
    chip.addEventListener('click', ({ detail }) => { if (detail === 0 || !wasNoTap()) recall(scene()) })
    // Of a finger it is the hold; a right click and the key for menus have no other.
    chip.addEventListener('contextmenu', ({ pointerType }) => { if (pointerType !== 'touch') more() })
    return chip
  }

  // MARK: Order

  async #toggleArranging() {
    await loadArrange()
    if (this.#arranging) this.#stopArranging()
    else this.#startArranging()
    this.paint(this.model)
  }

  leaveArranging() {
    if (!this.#arranging) return
    this.#stopArranging()
    this.paint(this.model)
    this.#arrangeButton.focus()
  }

  #startArranging() {
    const parts = this.model.tiles.map((key) => this.#tiles.get(key)).filter(Boolean)
      .map(({ node, lamp }) => ({ node, lamp, title: () => lamp.model.title }))
    // A pin whose lamp is not known has a place, too, but no tile.
    const places = parts.map(({ lamp }, index) => lamp.model.pin ?? index + 1)
    this.#arranging = arrange(this.grid, parts, (order, part) => {
      const pinned = page.frame.sections.find(({ kind }) => kind === 'pinned')
      // Until lightd reports it: what is painted meanwhile already has the new order.
      if (pinned) pinned.tiles = order.map(({ lamp }) => lamp.model.key)
      act(() => perform('move', { target: part.lamp.model.target, place: places[order.indexOf(part)] }))
    })
  }

  #stopArranging() {
    this.#arranging?.()
    this.#arranging = null
  }
}
