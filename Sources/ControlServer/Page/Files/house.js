import { perform } from './api.js'
import { arrange } from './arrange.js'
import { byID, element, setAttribute, setChildren, setStyle, setText } from './dom.js'
import { followDrag } from './gestures.js'
import { openPairing } from './pairing.js'
import { page } from './page.js'
import { forgetOver, isPutAway, putAway } from './putaway.js'
import { openScene, recall } from './scenes.js'
import { text } from './text.js'
import { TileView } from './tile.js'
import { say } from './toast.js'
import { everyMinute, withTime } from './times.js'

const sections = new Map()
const notices = new Map()
/** The notice that no bridge is paired. */
const invitation = 'pair'

/** Shows the frame: what stands there already stays, whatever else has changed. */
export function paintHouse(frame, isFirst) {
  setText(byID('title'), frame.title)
  setText(byID('summary'), page.isConnected ? frame.summary : 'As last seen')
  document.title = frame.title
  paintNotices(frame, !isFirst)
  const shown = frame.sections.map((model) => {
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
  paintEmpty(frame)
}

/** Takes everything off the page. */
export function clearHouse() {
  sections.forEach((section) => section.remove())
  sections.clear()
  notices.clear()
  byID('notices').replaceChildren()
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
  const { id, title, text, at } = notice
  const words = `${title} ${withTime(text, at)} ${page.access}`
  // Made once: a button that is focused stays.
  if (empty.dataset.words === words) return
  empty.dataset.words = words
  empty.replaceChildren(element('h2', {}, title), element('p', {}, withTime(text, at)))
  if (id === invitation && page.may('manage')) {
    empty.append(element('button', { class: 'pill strong', type: 'button', click: openPairing }, 'Pair a bridge'))
  }
}

class SectionView {
  #tiles = new Map()
  #scenes = new Map()
  #arranging = null
  #arrangeButton = null
  #model = null

  constructor({ id, kind }) {
    const heading = `section-${id.replace(/[^\w-]/g, '-')}`
    this.title = element('h2', { id: heading, dir: 'auto' })
    this.summary = element('p', {})
    this.sensed = element('p', { class: 'sensed' })
    this.chips = element('div', { class: 'scenes' })
    this.grid = element('div', { class: 'grid' })
    this.node = element('section', { 'aria-labelledby': heading, 'data-kind': kind },
      element('div', { class: 'heading' }, this.title, this.summary, this.sensed, this.chips), this.grid)
    if (kind === 'pinned') {
      this.#arrangeButton = element('button', { class: 'chip', type: 'button', click: () => this.#toggleArranging() })
    }
  }

  remove() {
    this.#stopArranging()
    this.#tiles.forEach((tile) => tile.remove())
    this.node.remove()
  }

  paint(model) {
    const wasArranging = this.#arranging !== null
    const keys = (model) => model?.tiles.join()
    if (wasArranging && keys(model) !== keys(this.#model)) this.#stopArranging()
    this.#model = model
    setText(this.title, model.title)
    setText(this.summary, model.summary)
    this.paintSensed()
    this.#paintScenes(model)
    const wanted = [...(model.whole ? [model.whole] : []), ...model.tiles].filter((key) => page.lamps.has(key))
    for (const [key, tile] of this.#tiles) {
      if (wanted.includes(key) && tile.lamp === page.lamps.get(key)) continue
      tile.remove()
      this.#tiles.delete(key)
    }
    setChildren(this.grid, wanted.map((key) => {
      if (!this.#tiles.has(key)) this.#tiles.set(key, new TileView(page.lamps.get(key), key === model.whole))
      return this.#tiles.get(key).node
    }))
    if (wasArranging && this.#arranging === null) this.#startArranging()
    if (!this.#arrangeButton) return
    const mayArrange = model.tiles.some((key) => page.lamps.get(key)?.can('pin'))
    this.#arrangeButton.hidden = (!mayArrange || model.tiles.length < 2) && this.#arranging === null
    setText(this.#arrangeButton, this.#arranging ? 'Done' : 'Arrange')
    setAttribute(this.#arrangeButton, 'aria-pressed', this.#arranging ? 'true' : 'false')
  }

  /** What the room's sensors say; as time passes, in other words. */
  paintSensed() {
    const { sensed } = this.#model
    this.sensed.hidden = !sensed
    if (sensed) setText(this.sensed, withTime(sensed.text, sensed.at))
  }

  #paintScenes({ scenes }) {
    const shown = scenes.map(({ id, title, look, active, detail }) => {
      if (!this.#scenes.has(id)) this.#scenes.set(id, this.#chip(id))
      const chip = this.#scenes.get(id)
      const [picture, name, state] = chip.children
      setText(name, title)
      setText(state, detail)
      setStyle(picture, '--look', look.length > 1
        ? `conic-gradient(${[...look, look[0]].join(', ')})` : look[0] ?? 'none')
      setAttribute(picture, 'data-unknown', !look.length)
      setAttribute(chip, 'data-moves', Boolean(detail))
      if (!page.may('change')) chip.hidden = !active
      else setAttribute(chip, 'aria-pressed', active ? 'true' : 'false')
      return chip
    })
    for (const [id, chip] of this.#scenes) if (!shown.includes(chip)) this.#scenes.delete(id)
    setChildren(this.chips, this.#arrangeButton ? [...shown, this.#arrangeButton] : shown)
  }

  #chip(id) {
    const parts = [element('i', { class: 'look' }), element('span', { dir: 'auto' }), element('small', {})]
    if (!page.may('change')) return element('span', { class: 'chip' }, ...parts)
    const scene = () => this.#model.scenes.find((scene) => scene.id === id)
    const more = () => {
      // It may be gone by the time that a finger has rested.
      if (!page.isConnected || !scene()) return
      if (scene().canBeDynamic) openScene(scene(), this.#model.title)
      else recall(scene())
    }
    const chip = element('button', { class: 'chip', type: 'button' }, ...parts)
    const wasNoTap = followDrag(chip, { canDrag: () => false, hold: more })
    chip.addEventListener('click', ({ detail }) => { if (detail === 0 || !wasNoTap()) recall(scene()) })
    // Of a finger it is the hold; a right click and the key for menus have no other.
    chip.addEventListener('contextmenu', ({ pointerType }) => {
      if (pointerType !== 'touch' && scene().canBeDynamic) more()
    })
    return chip
  }

  // MARK: Order

  #toggleArranging() {
    if (this.#arranging) this.#stopArranging()
    else if (page.isConnected) this.#startArranging()
    this.paint(this.#model)
  }

  #startArranging() {
    const keys = this.#model.tiles.filter((key) => this.#tiles.has(key))
    this.#arranging = arrange(this.grid, keys.map((key) => this.#tiles.get(key)))
  }

  #stopArranging() {
    this.#arranging?.()
    this.#arranging = null
  }
}
