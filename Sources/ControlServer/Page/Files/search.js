import { byID, element, setAttribute, setChildren } from './dom.js'
import { openMore } from './more.js'
import { page } from './page.js'
import { recall } from './scenes.js'
import { closeSheet, openSheet } from './sheet.js'
import { counted, isolated, text } from './text.js'
import { TileView } from './tile.js'
import { say } from './toast.js'

/** Nobody reads more of one kind: a letter more leads further. */
const most = 12
/** Letters that are no base and mark in Unicode. */
const plain = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' }

/** Without accents and case. */
const folded = (words) => words.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  .replace(/[ßøłđæœı]/g, (one) => plain[one])

/**
 * Finds lamps that work where they stand, scenes and rooms. `rooms()`: the sections as they stand on the page. `query`:
 * what was typed before.
 */
export function openSearch(rooms, query = '') {
  const rows = new Map()
  let [shown, active] = [[], 0]

  const results = element('div', { class: 'results', id: 'results', role: 'grid', 'aria-label': text`Results` })
  const count = element('p', { class: 'quiet' })
  const input = element('input', {
    class: 'query', type: 'text', role: 'combobox', 'aria-label': text`Search`, 'aria-controls': 'results',
    'aria-haspopup': 'grid', 'aria-expanded': 'false', 'aria-autocomplete': 'list', autocomplete: 'off',
    autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'go', maxlength: 60, dir: 'auto',
    placeholder: text`Lamp, scene or room`, input: () => find(true), keydown: press
  })
  const stop = page.follow(() => find(false))
  openSheet({
    title: text`Search`, content: [results, count], close: () => {
      stop()
      rows.forEach(({ remove }) => remove())
    }
  })
  byID('sheet-title').after(input)
  input.value = query
  if (query) find(true)
  input.focus()

  /** Whatever is shown already stays; `isTyped`: and the first is marked. */
  function find(isTyped) {
    const terms = folded(input.value).split(/\s+/).filter(Boolean)
    const found = terms.length ? matches(rooms(), terms) : []
    const kept = shown[active]
    shown = found.flatMap((group) => group.slice(0, most)).map(row)
    active = isTyped ? 0 : Math.max(0, shown.indexOf(kept))
    for (const [key, one] of rows) {
      if (shown.includes(one)) continue
      one.remove()
      rows.delete(key)
    }
    setChildren(results, shown.map(({ node }) => node))
    results.hidden = !shown.length
    const more = found.reduce((sum, group) => sum + Math.max(0, group.length - most), 0)
    const words = !terms.length ? '' : !shown.length ? text`Nothing here is called that.`
      : more ? text`${more} more: type another letter.` : ''
    count.textContent = words
    if (isTyped) say(words || counted(shown.length, text`${shown.length} result`, text`${shown.length} results`))
    mark()
  }

  function mark() {
    shown.forEach(({ node }, index) => setAttribute(node, 'aria-selected', String(index === active)))
    setAttribute(input, 'aria-expanded', String(shown.length > 0))
    setAttribute(input, 'aria-activedescendant', shown[active]?.node.id)
  }

  function press(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.isComposing || (by === undefined && event.key !== 'Enter')) return
    event.preventDefault()
    if (by === undefined) return page.isConnected ? shown[active]?.go()
      : say(text`Not connected: nothing can be changed now.`)
    active = Math.min(shown.length - 1, Math.max(0, active + by))
    mark()
    shown[active]?.node.scrollIntoView({ block: 'nearest' })
  }

  function row(found) {
    const old = rows.get(found.key)
    if (old && old.lamp === found.lamp) return old
    old?.remove()
    const made = { ...found, ...parts(found, () => openSearch(rooms, input.value)) }
    numbers += 1
    made.node = element('div', { role: 'row', id: `found-${numbers}`, 'aria-selected': 'false' },
      element('div', { role: 'gridcell' }, made.inner))
    made.remove = () => {
      made.view?.remove()
      made.node.remove()
    }
    rows.set(found.key, made)
    return made
  }
}

let numbers = 0

/** What a result shows, and what Enter and a tap do. `back`: to what was found. */
function parts({ lamp, scene, room }, back) {
  const enter = () => {
    closeSheet()
    room.enter(true)
  }
  if (lamp && room.model.whole !== lamp.model.key) {
    const view = new TileView(lamp, false, { isSlim: true, back })
    return { view, inner: view.node, go: () => openMore(lamp, back) }
  }
  if (lamp) {
    const tap = () => {
      enter()
      return true
    }
    const view = new TileView(lamp, true, { isSlim: true, tap })
    return { view, inner: view.node, go: enter }
  }
  const show = () => {
    closeSheet()
    recall(scene)
  }
  const place = isolated(room.model.title)
  const [title, kind, go] = scene ? [scene.title, text`Scene · ${place}`, show] : [room.model.title, text`Room`, enter]
  return { go, inner: element('button', { class: 'row', type: 'button', click: go },
    element('b', { dir: 'auto' }, title), element('span', { class: 'quiet' }, kind)) }
}

/** Lamps by their own names, scenes, rooms, and then the other lamps of rooms that are called so; the best first. */
function matches(rooms, terms) {
  const [own, scenes, named, others] = [[], [], [], []]
  const add = (group, found, title, place = '') => {
    const [name, around] = [folded(title), folded(place)]
    if (!terms.every((term) => name.includes(term) || around.includes(term))) return
    const term = terms.find((term) => name.includes(term))
    if (term === undefined) return found.scene || others.push({ ...found, rank: 0 })
    const at = name.indexOf(term)
    group.push({ ...found, rank: at === 0 ? 0 : /[\p{L}\p{N}]/u.test(name[at - 1]) ? 2 : 1 })
  }
  for (const room of rooms) {
    const { id, title, whole, tiles, scenes: ofRoom } = room.model
    for (const key of tiles) {
      const lamp = page.lamps.get(key)
      if (lamp) add(own, { key, lamp, room }, lamp.model.title, title)
    }
    if (page.may('change')) ofRoom.forEach((scene) => add(scenes, { key: scene.id, scene, room }, scene.title, title))
    add(named, { key: id, lamp: page.lamps.get(whole), room }, title)
  }
  const best = (group) => group.sort((one, other) => one.rank - other.rank)
  return [best(own), best(scenes), best(named), others]
}
