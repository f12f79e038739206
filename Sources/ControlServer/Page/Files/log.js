import { act } from './act.js'
import { openEvents, request } from './api.js'
import { element } from './dom.js'
import { openMenu } from './menu.js'
import { page } from './page.js'
import { openSheet } from './sheet.js'
import { readEvents } from './stream.js'
import { clockTime } from './times.js'

/** The newest entries first, and those that come while it is open. */
export async function openLog() {
  const gone = new AbortController()
  const content = element('div', { 'aria-busy': 'true' }, element('div', { class: 'working' }))
  openSheet({ title: 'Log', back: openMenu, content: [content], close: () => gone.abort() })
  const { signal } = gone
  let entries = []
  const list = element('ol', { class: 'log' })
  const older = element('button', { class: 'pill', type: 'button', click: () => act(showOlder) }, 'Show older')
  const read = (query, options) => request('GET', `/v1/log?limit=${pageful}${query}`, undefined, options)
  const paint = () => list.replaceChildren(...linesOf(entries).reverse().map(logEntry))
  let painting = null
  const show = (entry) => {
    if (entry.number <= entries.at(-1)?.number) return
    entries = [...entries.slice(-mostEntries), entry]
    if (!list.isConnected) content.replaceChildren(list, older)
    // Once for all that come together: a drag elsewhere brings many.
    painting ??= requestAnimationFrame(() => {
      painting = null
      paint()
    })
  }
  async function showOlder() {
    const [first] = entries
    // Entries of one millisecond may lie on both sides of the border.
    const until = new Date(Date.parse(first.time) + 1).toISOString()
    const earlier = await read(`&until=${encodeURIComponent(until)}`, {})
    entries = [...earlier.filter(({ number }) => number < first.number), ...entries]
    older.hidden = earlier.length < pageful
    paint()
  }
  try {
    entries = await read('', { signal })
    older.hidden = entries.length < pageful
    content.replaceChildren(...entries.length ? [list, older] : [element('p', {}, 'Nothing has happened yet.')])
    paint()
    content.removeAttribute('aria-busy')
    while (!signal.aborted) {
      await followLog(entries.at(-1)?.number ?? 0, show, signal)
      await new Promise((resume) => setTimeout(resume, 2000))
    }
  } catch (failure) {
    if (failure.name === 'AbortError') return
    content.replaceChildren(element('p', { role: 'alert' }, failure.words))
    content.removeAttribute('aria-busy')
  }
}

/** A drag makes many entries, and one line. */
const pageful = 200
const mostEntries = 2000

/**
 * One line for each command and for each gesture, with what came of it, and for what bridges report unless a command
 * caused it. Both oldest first.
 */
function linesOf(entries) {
  const [lines, asked, gestures] = [[], new Map(), new Map()]
  for (const entry of entries) {
    const { ticket, holder, gesture, text, outcome, caused_by: cause } = entry
    if (cause) continue
    const key = gesture && `${holder} ${gesture}`
    const line = outcome ? asked.get(ticket) : gestures.get(key)
    if (!line) {
      const made = { ...entry }
      lines.push(made)
      if (ticket && !outcome) asked.set(ticket, made)
      if (key && !outcome) gestures.set(key, made)
    } else if (!outcome) {
      // The newest value of a gesture.
      asked.set(ticket, Object.assign(line, { ticket, text, outcome }))
    } else if (outcome === 'failed' || (ticket === line.ticket && text.startsWith(line.text))) {
      Object.assign(line, { text, outcome })
    }
  }
  return lines
}

const logEntry = ({ time, holder, text, outcome }) => element('li', { 'data-outcome': outcome },
  element('time', { datetime: time }, clockTime(time)),
  element('div', {}, element('p', { dir: 'auto' }, text), element('p', { class: 'quiet', dir: 'auto' }, holder)))

/** Shows the entries after this one as they come, until the page's connection has ended or the log is closed. */
async function followLog(newest, show, closed) {
  const { connection } = page
  if (connection.aborted || closed.aborted) return
  const following = new AbortController()
  const { signal } = following
  for (const end of [connection, closed]) end.addEventListener('abort', () => following.abort(), { signal })
  try {
    const response = await openEvents(`/v1/log?after=${newest}`, { signal })
    if (!response.ok) return
    await readEvents(response, (name, data) => { if (name === 'log') show(JSON.parse(data)) })
  } catch {
    // The page itself says that lightd is away.
  } finally {
    following.abort()
  }
}
