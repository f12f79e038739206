import { act } from './act.js'
import { request } from './api.js'
import { element } from './dom.js'
import { openMenu } from './menu.js'
import { page } from './page.js'
import { openSheet } from './sheet.js'
import { followEvents } from './stream.js'
import { language, text } from './text.js'
import { clockTime } from './times.js'

/**
 * What happened, the newest first and by days, and what comes while it is open. `target`: a lamp or a room, as
 * commands name it; without, it is the home's, with a choice of rooms.
 */
export function openLog({ target = null, place = null, back = openMenu } = {}) {
  const gone = new AbortController()
  const view = new LogView(target, gone.signal)
  openSheet({ title: text`Log`, place, back, content: view.content, close: () => gone.abort() })
  view.start()
}

class LogView {
  #target
  #scope = null
  #closed
  /** Ends what is followed in favour of something else. */
  #other = new AbortController()
  #lines = new Map()
  #before = null
  #painting = null
  /** The lines that are shown: they are made anew only if they are others. */
  #shown = null
  /** How often it looks further back by itself while it has found nothing. */
  #tries = 0
  #list = element('div', { class: 'log', 'aria-busy': 'true' }, element('div', { class: 'working' }))
  #older = element('button', { class: 'pill', type: 'button', hidden: true, click: () => act(() => this.#showOlder()) },
    text`Show older`)

  constructor(target, closed) {
    this.#target = target
    this.#closed = closed
    closed.addEventListener('abort', () => this.#other.abort())
    // The lamps' own log tells of programs, too.
    if (target) this.#scope = 'programs'
    this.content = [...target ? [] : [this.#filters()], this.#list, this.#older]
  }

  #filters() {
    const rooms = (page.frame?.sections ?? []).filter(({ whole }) => whole && page.lamps.has(whole))
    const room = element('select', {
      id: 'log-room', change: () => {
        this.#target = room.value || null
        this.start()
      }
    }, element('option', { value: '' }, text`All rooms`), ...rooms.map(({ title, whole }) =>
      element('option', { value: page.lamps.get(whole).model.target, dir: 'auto' }, title)))
    const all = element('button', {
      class: 'chip', type: 'button', 'aria-pressed': 'false', click: () => {
        this.#scope = this.#scope ? null : 'everything'
        all.setAttribute('aria-pressed', String(this.#scope !== null))
        this.start()
      }
    }, text`Bridges and programs, too`)
    return element('div', { class: 'actions' },
      element('label', { class: 'unseen', for: 'log-room' }, text`Room`), room, all)
  }

  #path(fields = {}) {
    const query = Object.entries({ target: this.#target, scope: this.#scope, ...fields }).filter(([, value]) => value)
    return `/v1/page/log?${new URLSearchParams(query)}`
  }

  /** Reads it anew and follows it, until it is closed or somebody wants to see something else. */
  async start() {
    this.#other.abort()
    if (this.#closed.aborted) return
    const { signal } = this.#other = new AbortController()
    this.#tries = 5
    this.#lines = new Map()
    this.#shown = null
    this.#list.setAttribute('aria-busy', 'true')
    while (!signal.aborted) {
      try {
        await followEvents(this.#path(), 'log', signal, (name, data) => this.#take(name, data))
      } catch (failure) {
        if (signal.aborted) return
        // What is not allowed or does not exist will not be so in two seconds.
        if (failure.status >= 400 && failure.status < 500) return this.#say(failure.words, 'alert')
      }
      await new Promise((resume) => setTimeout(resume, 2000))
    }
  }

  #take(name, { lines, gone = [], before }) {
    if (name === 'log') {
      // Read again, it goes on: what was brought of older times stays, if nothing is missing before it.
      const oldest = Math.min(...lines.map(({ number }) => number))
      const older = lines.some(({ id }) => this.#lines.has(id))
        ? [...this.#lines].filter(([, { number }]) => number < oldest) : []
      this.#lines = new Map(older)
      if (!older.length) this.#before = before
    }
    lines.forEach((line) => this.#lines.set(line.id, line))
    gone.forEach((id) => this.#lines.delete(id))
    // Once for all that come together: a drag elsewhere brings many.
    this.#painting ??= requestAnimationFrame(() => {
      this.#painting = null
      if (!this.#closed.aborted) this.#paint()
    })
  }

  async #showOlder() {
    const { signal } = this.#other
    const { lines, before } = await request('GET', this.#path({ before: this.#before }), undefined, { signal })
    this.#before = before
    // What a command did is told with its answer, which may be newer than what is read here.
    for (const line of lines) if (!this.#lines.has(line.id)) this.#lines.set(line.id, line)
    this.#paint()
  }

  #paint() {
    this.#list.removeAttribute('aria-busy')
    const hadFocus = document.activeElement === this.#older
    this.#older.hidden = this.#before === null
    const lines = [...this.#lines.values()].sort((one, other) => other.number - one.number)
    const none = () => this.#before ? text`Nothing among the newest entries.` : text`Nothing has happened yet.`
    if (!lines.length && this.#before && this.#tries-- > 0) act(() => this.#showOlder())
    else if (!lines.length) this.#say(none())
    else this.#show(lines)
    if (hadFocus && this.#older.hidden) document.getElementById('sheet-title').focus()
  }

  #show(lines) {
    // The days have other names tomorrow.
    const shown = JSON.stringify([new Date().toDateString(), lines])
    if (shown === this.#shown) return
    this.#shown = shown
    this.#list.replaceChildren(...byDay(lines))
  }

  #say(words, role = null) {
    this.#shown = null
    this.#list.removeAttribute('aria-busy')
    this.#list.replaceChildren(element('p', { role }, words))
  }
}

const weekday = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' })

/** Headings and lists. Without `Map.groupBy`, which browsers of 2023 do not have. */
function byDay(lines) {
  const days = new Map()
  for (const line of lines) days.set(dayOf(line), [...days.get(dayOf(line)) ?? [], line])
  return [...days].flatMap(([day, lines]) => [
    element('h3', {}, day), element('ol', {}, ...lines.map((line) => entry(line)))
  ])
}

function dayOf({ time }) {
  const [at, today] = [new Date(time), new Date()]
  if (at.toDateString() === today.toDateString()) return text`Today`
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  return at.toDateString() === yesterday.toDateString() ? text`Yesterday` : weekday.format(at)
}

/** One line. `now`: as of when the clock is told; the days' headings tell the rest. */
function entry({ time, since, count, reason, place, failed, who, text: words }, now = Date.parse(time)) {
  const [first, last] = [since && clockTime(since, now), clockTime(time, now)]
  const times = !first ? '' : first === last ? text`${count} times at ${last}`
    : text`${count} times between ${first} and ${last}`
  const rest = [reason, place, times].filter(Boolean)
  return element('li', { 'data-failed': failed },
    element('time', { datetime: time }, clockTime(time, now)),
    element('div', {}, sentence(who, words), rest.length ? element('p', { class: 'quiet' },
      ...rest.flatMap((part, index) => [index ? ' · ' : '', element('bdi', {}, part)])) : null))
}

/** Who did it stands out. Names are isolated, and nothing in one is taken for that place. */
function sentence(who, words) {
  const [before, after] = who === null ? [words] : words.split(/\{who\}(.*)/s)
  return element('p', {}, before, after === undefined ? null : element('b', {}, who), after)
}

const few = 4

/** Fills a box in the sheet of a lamp or a room with its last changes; again whenever something has changed. */
export async function showHistory(box, { model }, back) {
  if (!box.isConnected) return
  const path = `/v1/page/log?${new URLSearchParams({ scope: 'programs', target: model.target })}`
  // Of what is gone nothing is told; that it is gone, the page says itself.
  const { lines } = await request('GET', path, undefined, { signal: page.connection }).catch((failure) => {
    if (failure.status !== 404) throw failure
    return { lines: [] }
  })
  const list = element('ol', {}, ...lines.slice(0, few).map((line) => entry({ ...line, place: null }, Date.now())))
  // What has the focus stays.
  if (box.childElementCount) return box.querySelector('ol').replaceWith(list)
  box.hidden = !lines.length
  if (box.hidden) return
  box.append(element('h3', {}, text`Last changes`), list, element('button', {
    class: 'pill', type: 'button', 'aria-haspopup': 'dialog',
    click: () => openLog({ target: model.target, place: model.title, back })
  }, text`Show all`))
}
