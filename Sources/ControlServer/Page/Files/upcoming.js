import { lazily, once } from './act.js'
import { perform } from './api.js'
import { byID, element, setAttribute, setChildren, setText } from './dom.js'
import { openAutomations } from './menu.js'
import { page } from './page.js'
import { openSheet } from './sheet.js'
import { text } from './text.js'
import { daysUntil, paintRing, ring, soon, when, withDue } from './timetable.js'
import { everyMinute, hour } from './times.js'
import { showMessage } from './toast.js'

const openNew = lazily(() => import('./forms.js'), 'openNewAutomation')
const openAutomation = lazily(() => import('./forms.js'), 'openAutomation')

/** What goes on, and what comes today and tomorrow, each with the one button that makes sense. */
export function openUpcoming(back = null) {
  const rows = new Map()
  const again = () => openUpcoming(back)
  const groups = [text`Now`, text`Today`, text`Tomorrow`].map((title) => ({
    title: element('h3', {}, title), list: element('ul', { class: 'rows' })
  }))
  const nothing = element('p', {}, text`Nothing is planned for today or tomorrow.`)
  const paint = () => {
    const shown = soon(page.frame)
    const hasFocus = () => groups.some(({ list }) => list.contains(document.activeElement))
    const hadFocus = hasFocus()
    for (const id of rows.keys()) if (!shown.some((entry) => entry.id === id)) rows.delete(id)
    groups.forEach(({ title, list }, index) => {
      const entries = shown.filter((entry) => groupOf(entry) === index)
      setChildren(list, entries.map((entry) => {
        if (!rows.has(entry.id)) rows.set(entry.id, new Row(entry, (name) => openAutomation(name, again)))
        rows.get(entry.id).paint(entry)
        return rows.get(entry.id).node
      }))
      title.hidden = list.hidden = !entries.length
    })
    nothing.hidden = shown.length > 0
    // Its row is gone.
    if (hadFocus && !hasFocus()) byID('sheet-title').focus()
  }
  const stop = [page.follow(paint), everyMinute(paint)]
  paint()
  openSheet({
    title: text`Upcoming`, back, close: () => stop.forEach((stop) => stop()),
    content: [
      ...groups.flatMap(({ title, list }) => [title, list]), nothing,
      element('div', { class: 'actions' }, element('button', {
        class: 'pill', type: 'button', 'aria-haspopup': 'dialog', click: () => openAutomations(again)
      }, text`Automations`), page.may('manage') ? element('button', {
        class: 'pill', type: 'button', 'aria-haspopup': 'dialog', click: () => openNew(again)
      }, text`New automation`) : null)
    ]
  })
}

/** What has no hour goes on. */
const groupOf = ({ kind, since, at }) => since || !at || !['next', 'timer'].includes(kind) ? 0
  : Math.max(0, daysUntil(at)) + 1

class Row {
  #entry = null

  /** `open(name)` opens the form of an automation. */
  constructor({ automation }, open) {
    this.time = element('span', {})
    this.title = automation !== null && page.may('manage') ? element('button', {
      class: 'opens', type: 'button', dir: 'auto', 'aria-haspopup': 'dialog', click: () => open(automation)
    }) : element('span', { dir: 'auto' })
    this.text = element('p', { class: 'quiet', dir: 'auto' })
    this.ring = ring()
    this.button = element('button', { class: 'pill', type: 'button', click: () => this.#do() })
    this.node = element('li', { class: 'row soon' }, element('div', { class: 'when' }, this.ring, this.time),
      element('div', { class: 'grow' }, element('b', {}, this.title), this.text), this.button)
  }

  paint(entry) {
    this.#entry = entry
    const { title, text: why, at, action, skipped } = entry
    // Its day stands above it.
    setText(this.time, groupOf(entry) > 0 ? hour(at) : when(entry))
    setText(this.title, withDue(title, at))
    setText(this.text, withDue(why, at))
    paintRing(this.ring, entry)
    setAttribute(this.node, 'data-skipped', skipped)
    this.button.hidden = !action
    if (!action) return
    setText(this.button, action.title)
    setAttribute(this.button, 'aria-label', `${action.title}: ${this.title.textContent}`)
  }

  /** The button does something else as soon as it is done. */
  #do = once(async () => {
    const { command, fields, said, at } = this.#entry.action
    await perform(command, fields)
    showMessage(withDue(said, at))
  })
}
