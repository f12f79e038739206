import { lazily, once } from './act.js'
import { perform, request } from './api.js'
import { element, setAttribute, setChildren, setText } from './dom.js'
import { openMenu } from './menu.js'
import { page } from './page.js'
import { openSheet } from './sheet.js'
import { isolated, text } from './text.js'
import { withDue } from './timetable.js'
import { everyMinute, withHours } from './times.js'
import { showMessage } from './toast.js'

const openNew = lazily(() => import('./forms.js'), 'openNewAutomation')
const openAutomation = lazily(() => import('./forms.js'), 'openAutomation')

/** What the home does by itself, the next to run first. */
export function openAutomations(back = openMenu) {
  const rows = new Map()
  const list = element('ul', { class: 'rows' })
  const state = element('p', { role: 'status' })
  const content = element('div', { 'aria-busy': 'true' }, element('div', { class: 'working' }))
  let automations = []
  let connection = null
  const gone = new AbortController()
  const again = () => openAutomations(back)
  const paint = () => {
    for (const name of rows.keys()) if (!automations.some((one) => one.name === name)) rows.delete(name)
    setChildren(list, automations.map((automation) => {
      if (!rows.has(automation.name)) rows.set(automation.name, new Row((name) => openAutomation(name, again)))
      rows.get(automation.name).paint(automation)
      return rows.get(automation.name).node
    }))
    setText(state, automations.length ? '' : text`There are no automations yet.`)
    state.hidden = automations.length > 0
  }
  let reading = null
  /** What has changed while it is read is read after it. */
  const read = () => {
    connection = page.connection
    const next = (reading ?? Promise.resolve()).then(load)
    reading = next
  }
  const load = async () => {
    if (gone.signal.aborted) return
    try {
      automations = await request('GET', '/v1/page/automations', undefined, { signal: gone.signal })
      if (!list.isConnected) content.replaceChildren(list, state)
      paint()
    } catch (failure) {
      // If the connection is lost, the page says so, and what was shown stays.
      if (failure.name === 'AbortError' || list.isConnected) return
      content.replaceChildren(element('p', { role: 'alert' }, failure.words))
    }
    content.removeAttribute('aria-busy')
  }
  const follow = (news) => { if (news === 'automations' || connection !== page.connection) read() }
  const stop = [page.follow(follow), everyMinute(paint), () => gone.abort()]
  openSheet({
    title: text`Automations`, back, close: () => stop.forEach((stop) => stop()),
    content: [content, page.may('manage') ? element('button', {
      class: 'pill strong', type: 'button', 'aria-haspopup': 'dialog', click: () => openNew(again)
    }, text`New automation`) : null].filter(Boolean)
  })
  read()
}

class Row {
  #model = null

  /** `open(name)` opens its form. */
  constructor(open) {
    const action = (words, click) => element('button', { class: 'link', type: 'button', click }, words)
    this.title = page.may('manage') ? element('button', {
      class: 'opens', type: 'button', dir: 'auto', 'aria-haspopup': 'dialog', click: () => open(this.#model.name)
    }) : element('span', { dir: 'auto' })
    this.text = element('p', { class: 'quiet', dir: 'auto' })
    this.lines = element('div', {})
    this.run = action(text`Run now`, () => this.#do('run_automation', text`${this.#name} runs.`))
    this.stop = action(text`Stop`, () => this.#do('stop_automation', text`${this.#name} was stopped.`))
    this.skip = action(text`Skip once`, () => this.#do('skip_automation', text`${this.#name} is skipped once.`))
    this.unskip = action(text`Don't skip`, () => this.#do('unskip_automation', text`${this.#name} is not skipped.`))
    this.actions = element('div', { class: 'actions' }, this.run, this.stop, this.skip, this.unskip)
    this.switch = element('button', { class: 'switch', type: 'button', role: 'switch', click: () => this.#toggle() },
      element('i', {}))
    const [grow, may] = [element('div', { class: 'grow' }, element('b', {}, this.title), this.text, this.lines), page.may('change')]
    this.node = element('li', { class: 'row one' }, grow, may ? this.switch : null, may ? this.actions : null)
  }

  get #name() { return isolated(this.#model.name) }

  paint(model) {
    this.#model = model
    const { name, text: sentence, enabled, running, skipped, next, lines } = model
    setText(this.title, name)
    setText(this.text, withHours(sentence))
    const words = [...(enabled ? [] : [{ text: text`Switched off` }]), ...lines]
    while (this.lines.children.length > words.length) this.lines.lastChild.remove()
    words.forEach(({ text, at, failed }, index) => {
      const line = this.lines.children[index] ?? this.lines.appendChild(element('p', { dir: 'auto' }))
      setText(line, withDue(text, at))
      setAttribute(line, 'class', failed ? 'bad' : null)
    })
    setAttribute(this.switch, 'aria-label', name)
    setAttribute(this.switch, 'aria-checked', enabled ? 'true' : 'false')
    setAttribute(this.node, 'data-off', !enabled)
    const shown = [running ? this.stop : this.run, !next ? null : skipped ? this.unskip : this.skip]
    const held = /** @type {any} */ (document.activeElement)
    for (const button of this.actions.children) {
      button.hidden = !shown.includes(button)
      setAttribute(button, 'aria-label', `${button.textContent}: ${name}`)
    }
    // The focus stays where the other of two stands now.
    if (this.actions.contains(held) && held.hidden) (shown[[this.run, this.stop].includes(held) ? 0 : 1] ?? shown[0]).focus()
  }

  #toggle() {
    const { enabled } = this.#model
    this.#do(enabled ? 'disable_automation' : 'enable_automation',
      enabled ? text`${this.#name} is switched off.` : text`${this.#name} is switched on.`)
  }

  #do = once(async (command, said) => {
    await perform(command, { automation: this.#model.name })
    showMessage(said)
  })
}
