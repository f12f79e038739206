import { openEvents, perform, request, sentence } from './api.js'
import { element, setText } from './dom.js'
import { act } from './more.js'
import { page } from './page.js'
import { openPairing, pair } from './pairing.js'
import { closeSheet, openSheet } from './sheet.js'
import { readEvents } from './stream.js'
import { clockTime, everyMinute, withTime } from './times.js'
import { undo } from './toast.js'

/** Bridges and their health, the log, another phone, sign-out. */
export function openMenu() {
  const { list, stop } = bridges()
  const row = (words, hint, click) => element('li', {}, element('button', { class: 'row', type: 'button', click },
    element('b', {}, words), element('span', { class: 'quiet' }, hint)))
  openSheet({
    title: page.frame?.title ?? 'Home', close: stop,
    content: [
      element('h3', {}, 'Bridges'), list,
      element('ul', { class: 'rows' },
        page.may('change') ? row('Undo', 'Take back the newest change', openUndo) : null,
        page.may('manage') ? row('Pair a bridge', 'Find one on this network', () => openPairing()) : null,
        page.may('manage') ? row('Add a phone', 'Show a code to scan', () => openLink()) : null,
        page.may('log') ? row('Log', 'What happened, and who did it', () => openLog()) : null,
        row('Sign out', page.session?.name ? `Signed in as ${page.session.name}` : 'On this device', signOut))
    ]
  })
}

/** Asks before something is done. `stay` and `go` are buttons, `[words, click]`; with `stay` all stays as it is. */
function ask({ content, stay, go, ...sheet }) {
  const button = (type, [words, click]) => element('button', { class: type, type: 'button', click }, words)
  const actions = element('div', { class: 'actions' }, button('pill', stay), button('pill strong', go))
  openSheet({ ...sheet, content: [...content, actions] })
}

// MARK: Undo

/** Says what the newest change in the home is, whoever made it, and takes back that one. */
const openUndo = () => act(async () => {
  const { commands: [command], tickets: [ticket] } = await perform('undo', { dry_run: true })
  const takeBack = () => act(async () => {
    closeSheet()
    await undo(ticket)
  })
  ask({
    title: 'Undo?', back: openMenu, stay: ['Keep it', openMenu], go: ['Undo', takeBack],
    content: [element('p', { dir: 'auto' }, `The newest change in this home: ${command}.`)]
  })
})

// MARK: Sign-out

/** Asks first: the way back needs another device. A session takes along those that were made through it. */
const signOut = () => act(async () => {
  const { ends_with_it: others } = await request('GET', '/v1/session')
  ask({
    title: 'Sign out?', back: openMenu, stay: ['Stay', openMenu], go: ['Sign out', () => page.signOut()],
    content: [element('p', {}, 'To sign in again, this browser needs a new link or a token.'), ...goWithIt(others)]
  })
})

/** Asks whether a link may take the place of the session that this browser has. */
export function openReplacement({ name, ends_with_it: others }, use) {
  ask({
    title: 'Sign in anew?', stay: ['Stay', closeSheet], go: ['Use the link', use],
    content: [
      element('p', { dir: 'auto' }, `This browser is signed in${name ? ` as ${name}` : ''}. The link that was opened `
        + 'would sign it in anew, perhaps with other rights.'),
      ...goWithIt(others)
    ]
  })
}

const goWithIt = (names = []) => names.length ? [
  element('p', {}, 'What was added from here is signed out, too:'),
  element('ul', { class: 'rows' }, ...names.map((name) => element('li', { class: 'row', dir: 'auto' }, name)))
] : []

// MARK: Bridges

/** A list that follows their health until `stop` is called. */
function bridges() {
  const list = element('ul', { class: 'rows' })
  let shown = null
  let texts = []
  const paint = () => {
    const models = page.frame?.bridges ?? []
    // Made anew only for something new: a button that has the focus would lose it.
    if (JSON.stringify(models) !== shown) {
      shown = JSON.stringify(models)
      texts = models.map(() => element('p', { class: 'quiet' }))
      list.replaceChildren(...models.map((model, index) => bridge(model, texts[index])))
    }
    models.forEach(({ text, at }, index) => setText(texts[index], withTime(text, at)))
  }
  const stop = [everyMinute(paint), page.follow(paint)]
  paint()
  return { list, stop: () => stop.forEach((stop) => stop()) }
}

function bridge({ id, title, state }, text) {
  const action = (words, click) => element('button', { class: 'link', type: 'button', click }, words)
  return element('li', { class: 'row', 'data-state': state },
    element('div', { class: 'grow' }, element('b', { dir: 'auto' }, title), text),
    page.may('manage') && state === 'not_paired' ? action('Pair again', () => pair(id, title)) : null,
    page.may('manage') ? action('Forget', () => openForget(id, title)) : null)
}

function openForget(id, title) {
  const forget = () => act(async () => {
    await perform('forget', { bridge: id })
    openMenu()
  })
  ask({
    title: 'Forget this bridge?', place: title, back: openMenu, stay: ['Keep it', openMenu], go: ['Forget', forget],
    content: [
      element('p', {}, 'Its lights leave the page, and lightd can no longer switch them until it is paired again.')
    ]
  })
}

// MARK: Log

/** The newest entries first, and those that come while it is open. */
async function openLog() {
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

// MARK: Another phone

function openLink() {
  const choice = (access, words, hint) => element('li', {}, element('button', {
    class: 'row', type: 'button', click: () => makeLink(access)
  }, element('b', {}, words), element('span', { class: 'quiet' }, hint)))
  openSheet({
    title: 'Add a phone', back: openMenu,
    content: [
      element('p', {}, 'What may it do?'),
      element('ul', { class: 'rows' }, choice('full', 'Everything', 'Switch and change lights, pair bridges, add phones'),
        choice('control', 'Lights and scenes', 'Switch and change lights, read the log'),
        choice('look', 'Look only', 'See what is on, and why'))
    ]
  })
}

async function makeLink(access) {
  const gone = new AbortController()
  const content = element('div', { class: 'phone', 'aria-busy': 'true' }, element('div', { class: 'working' }))
  openSheet({ title: 'Add a phone', back: openLink, content: [content], close: () => gone.abort() })
  try {
    const { signal } = gone
    const { url, also = [], expires, qr, hint } = await request('POST', '/v1/links', { access }, { signal })
    const copied = element('span', { role: 'status', class: 'quiet' })
    // Browsers offer the clipboard to pages over TLS and from localhost only.
    const copy = navigator.clipboard ? element('button', { class: 'pill', type: 'button', click: async () => {
      try {
        await navigator.clipboard.writeText(url)
        setText(copied, 'Copied.')
      } catch {
        setText(copied, 'The browser does not allow it: select the link and copy it.')
      }
    } }, 'Copy link') : null
    // With a hint no phone can open it, and a code would lead nowhere.
    const use = hint ? '' : "Scan it with the phone's camera. "
    const state = element('p', { role: 'status' }, `${use}It works once, until ${clockTime(expires)}.`)
    content.replaceChildren(
      hint ? element('p', { class: 'bad' }, sentence(hint)) : '',
      qr && !hint ? drawCode(qr) : '',
      state,
      element('p', { class: 'address' }, url),
      ...also.map((url) => element('p', { class: 'address' }, url)),
      element('div', { class: 'actions' }, copy, copied))
    content.removeAttribute('aria-busy')
    const user = await userOf(signal, expires)
    content.replaceChildren(element('p', { role: 'status', dir: 'auto' },
      user ? `The link was used: ${user} is signed in.` : 'The time of the link is over.'))
  } catch (failure) {
    if (failure.name === 'AbortError') return
    content.replaceChildren(element('p', { role: 'alert' }, failure.words))
  }
  content.removeAttribute('aria-busy')
}

/** Waits for who signs in through this page; `null` if nobody has when the link's time is over. */
async function userOf(signal, expires) {
  const made = async () => (await request('GET', '/v1/session', undefined, { signal })).ends_with_it ?? []
  const before = new Set(await made())
  while (Date.now() < new Date(expires)) {
    await new Promise((resume) => setTimeout(resume, 2000))
    // The page itself says that lightd is away, and comes back to it.
    const now = await made().catch((failure) => {
      if (failure.name === 'AbortError') throw failure
      return []
    })
    const user = now.find((name) => !before.has(name))
    if (user) return user
  }
  return null
}

/** Dark on white in either scheme, with the quiet zone of four modules that scanners need. */
function drawCode({ size, rows }) {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  const path = document.createElementNS(space, 'path')
  const runs = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map(({ index, 0: run }) =>
    `M${index + 4} ${y + 4}h${run.length}v1h-${run.length}z`))
  path.setAttribute('d', runs.join(''))
  svg.setAttribute('viewBox', `0 0 ${size + 8} ${size + 8}`)
  svg.setAttribute('class', 'code')
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', 'The link as a QR code')
  svg.setAttribute('shape-rendering', 'crispEdges')
  svg.append(path)
  return svg
}
