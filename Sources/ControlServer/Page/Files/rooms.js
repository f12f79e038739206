import { fetched } from './act.js'
import { byID, element, setAttribute, setChildren, setStyle, setText } from './dom.js'
import { rove } from './gestures.js'
import { kept, texts } from './kept.js'
import { page } from './page.js'
import { text } from './text.js'
import { showFailure } from './toast.js'

// MARK: What this browser keeps

/** More rooms than these are folded where the page is narrow, and on any screen with more lamps than those. */
const [fewRooms, fewLamps] = [4, 100]
const wide = matchMedia('(min-width: 900px)')
const own = kept('rooms', (found) => ({
  order: texts(found?.order),
  folds: Object.fromEntries(Object.entries(Object(found?.folds)).filter(([, folds]) => typeof folds === 'boolean'))
}))

/** Whether a room is folded before anybody has folded it. */
export function isFolded({ id }, { sections }) {
  const rooms = sections.filter(({ kind, tiles }) => kind !== 'pinned' && tiles.length)
  const lamps = rooms.reduce((sum, { tiles }) => sum + tiles.length, 0)
  return own.value.folds[id] ?? ((rooms.length > fewRooms && !wide.matches) || lamps > fewLamps)
}

export function keepFold(id, isFolded) {
  own.keep({ ...own.value, folds: { ...own.value.folds, [id]: isFolded } })
}

export function keepOrder(ids) {
  // One whose bridge is away keeps its place among the others.
  own.keep({ ...own.value, order: [...ids, ...own.value.order.filter((id) => !ids.includes(id))] })
}

/** What is pinned, then the rooms in this browser's order; one that is new comes after those. */
export function inOrder(sections) {
  const places = new Map(own.value.order.map((id, place) => [id, place]))
  const place = ({ id, kind }) => kind === 'pinned' ? -1 : places.get(id) ?? Infinity
  return places.size ? [...sections].sort((one, other) => place(one) - place(other) || 0) : sections
}

// MARK: The ways to them

const [dock, list, search, menu] = ['dock', 'rooms', 'search', 'menu'].map(byID)
const chips = new Map()
/** The rooms' sections as they stand on the page. */
let rooms = []
/** Those at the top of the screen, by their nodes. */
const seen = new Set()
/** Where a chip or a key has led: the last rooms of a page are never at the top of the screen. */
let chosen = null
let current = null

rove(list)
setText(search.querySelector('span'), text`Search`)
for (const [node, label] of [[search, text`Search`], [menu, text`Menu`], [dock, text`Rooms`], [list, text`Rooms`]]) {
  setAttribute(node, 'aria-label', label)
}
setText(byID('skip'), text`To the rooms`)

/** Shows a chip for each of these sections, and moves those that have moved. */
export function paintRooms(sections) {
  rooms.filter((room) => !sections.includes(room)).forEach(({ node }) => {
    observer.unobserve(node)
    seen.delete(node)
  })
  sections.filter((room) => !rooms.includes(room)).forEach(({ node }) => observer.observe(node))
  rooms = sections
  for (const [id, chip] of chips) {
    if (rooms.some(({ model }) => model.id === id)) continue
    chip.stop()
    chips.delete(id)
  }
  setChildren(list, rooms.map((room) => {
    if (!chips.has(room.model.id)) chips.set(room.model.id, new Chip())
    return chips.get(room.model.id).paint(room)
  }))
  byID('skip').hidden = search.hidden = dock.hidden = !rooms.length
  document.body.classList.toggle('has-rooms', rooms.length > 0)
  place()
  mark()
}

class Chip {
  #room = null
  #lamp = null
  stop = () => {}

  constructor() {
    this.parts = [element('i', { class: 'dot' }), element('span', { dir: 'auto' }), element('small', {})]
    this.node = element('button', { class: 'chip', type: 'button', click: () => go(this.#room, true) }, ...this.parts)
  }

  paint(room) {
    this.#room = room
    setText(this.parts[1], room.model.title)
    const lamp = page.lamps.get(room.model.whole) ?? null
    if (lamp === this.#lamp) return this.node
    this.#lamp = lamp
    this.stop()
    const [dot, , level] = this.parts
    this.stop = lamp?.show({ paint: ({ state, glow, levelText }) => {
      setAttribute(dot, 'data-state', state)
      setStyle(dot, '--glow', glow ?? 'var(--line)')
      setText(level, state === 'on' ? levelText : '')
    } }) ?? (() => {})
    return this.node
  }
}

/** Leads to a room; `unfolds`: and shows its lamps. */
function go(room, unfolds) {
  chosen = room
  room.enter(unfolds)
  mark()
}

/** Marks the room that is at the top of the screen, as the browser tells it: the page is not measured. */
function mark() {
  if (!rooms.includes(chosen)) chosen = null
  const room = chosen ?? rooms.find(({ node }) => seen.has(node)) ?? null
  const chip = room && chips.get(room.model.id).node
  if (chip === current) return
  if (current) setAttribute(current, 'aria-current', null)
  current = chip
  if (!chip) return
  setAttribute(chip, 'aria-current', 'true')
  const [inner, outer] = [chip.getBoundingClientRect(), list.getBoundingClientRect()]
  list.scrollBy(inner.left - outer.left - (outer.width - inner.width) / 2,
    Math.min(0, inner.top - outer.top) + Math.max(0, inner.bottom - outer.bottom))
}

const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) seen[isIntersecting ? 'add' : 'delete'](target)
  mark()
}, { rootMargin: '-32px 0px -85% 0px' })

for (const use of ['wheel', 'touchmove', 'keydown']) {
  addEventListener(use, () => { chosen = null }, { capture: true, passive: true })
}

/** In reach of a thumb where the page is narrow, and there are rooms. */
function place() {
  const isDocked = !wide.matches && !dock.hidden
  if (isDocked === (menu.parentNode === dock)) return
  if (isDocked) dock.append(menu)
  else byID('header').append(menu)
  if (isDocked) dock.prepend(search)
  else byID('all-off').before(search)
}

wide.addEventListener('change', place)

// MARK: Keys

/** Also while lightd is away: it leads to the rooms. */
const openSearch = () => fetched(() => import('./search.js')).then((file) => file.openSearch(() => rooms), showFailure)

search.addEventListener('click', openSearch)
byID('skip').addEventListener('click', (event) => {
  event.preventDefault()
  go(rooms[0], false)
})

function step(by) {
  const here = (room) => room.node.contains(document.activeElement)
  const isCurrent = ({ model }) => chips.get(model.id).node === current
  const from = rooms.findIndex(rooms.some(here) ? here : isCurrent)
  const room = from + by < 0 ? null : rooms[from + by]
  if (room) go(room, false)
}

document.addEventListener('keydown', (event) => {
  const { key, target, metaKey, ctrlKey } = event
  const action = { '/': openSearch, '[': () => step(-1), ']': () => step(1) }[key]
  if (!action || event.defaultPrevented || metaKey || byID('sheet').open || !rooms.length) return
  // Many keyboards have the brackets only with AltGr, which Windows reports as Ctrl and Alt.
  if (ctrlKey && !event.getModifierState('AltGraph')) return
  // A sheet that has just closed may have the focus for a moment.
  if (target instanceof Element && target.matches('input, textarea, select') && target.getClientRects().length) return
  event.preventDefault()
  action()
})
