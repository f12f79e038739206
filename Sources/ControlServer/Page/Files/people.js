import { act, opening } from './act.js'
import { request, sentence } from './api.js'
import { choice } from './controls.js'
import { drawing, element, setAttribute, setText } from './dom.js'
import { ask, openMenu, roleName } from './menu.js'
import { page } from './page.js'
import { openSheet } from './sheet.js'
import { isolated, language, text } from './text.js'
import { ago, clockTime } from './times.js'
import { showMessage } from './toast.js'

const path = '/v1/sessions'
/** The list is asked for this often while it is seen: nothing tells that somebody has come. */
const interval = 3000
const none = { touch() {}, leave() {}, paint() {} }
const pill = (words, click, kind = 'pill') => element('button', { class: kind, type: 'button', click }, words)
const quiet = (words) => element('span', { class: 'quiet' }, words)

/** What a role allows, to whoever has it. */
export const rights = (access) => ({
  full: text`You may change everything: lights, automations, bridges, and who comes in.`,
  control: text`You may use lights, scenes and timers, and read the log.`,
  read_only: text`You may look at the home, and read the log.`
})[access] ?? text`You may look at the home, and change nothing.`

const hint = (access) => ({
  full: text`Also automations, bridges, and who comes in`, control: text`Lights, scenes and timers, and the log`,
  read_only: text`What is on, and the log`
})[access] ?? text`What is on, and why`

const locale = navigator.languages.find((name) => name.toLowerCase().startsWith(language)) ?? language
const written = (moment, form) => new Intl.DateTimeFormat(locale, form).format(new Date(moment))

/** "23:59" of today, "Sunday 23:59", "24 December, 23:59". */
export function endTime(moment) {
  const at = new Date(moment)
  const clock = { hour: 'numeric', minute: '2-digit' }
  if (at.toDateString() === new Date().toDateString()) return written(at, clock)
  return written(at, +at - Date.now() < 6 * 86_400_000 ? { weekday: 'long', ...clock }
    : { day: 'numeric', month: 'long', year: 'numeric', ...clock })
}

/** The last minute of a day, so many days after today. */
const endOf = (days) => {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 23, 59, 59)
}

/** Asks until when somebody may come in. `value`: a moment, 'never', or `null` while no day is chosen. */
function endChoice(choose = () => {}) {
  const sunday = endOf(7 - new Date().getDay())
  const [never, today, other] = [text`No end`, text`Today`, text`Another day`]
  const week = written(sunday, { weekday: 'long', day: 'numeric', month: 'short' })
  const day = element('input', {
    type: 'date', 'aria-label': text`Until the end of which day?`, change: () => choose(),
    min: new Date(+endOf(1) - endOf(1).getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
  })
  const field = element('div', { class: 'form', hidden: true }, day)
  const chosen = choice(text`Until when?`, [never, today, week, other], none, (name) => {
    field.hidden = name !== other
    if (name === other) day.focus()
    else choose()
  })
  return {
    node: element('div', { class: 'phone' }, chosen.node, field),
    showNever: () => chosen.show(never),
    get value() {
      if (chosen.value === never) return 'never'
      if (chosen.value === other) return day.value ? new Date(`${day.value}T23:59`).toISOString() : null
      return (chosen.value === today ? endOf(0) : sunday).toISOString()
    }
  }
}

// MARK: Who is signed in

const facts = ({ is_self: isSelf, access, ends, last_used: seen }) => [
  isSelf ? text`This device` : null, roleName(access), ends ? text`until ${endTime(ends)}` : null,
  isSelf ? null : seen ? text`last seen ${ago(seen)}` : text`not seen yet`
].filter(Boolean).join(' · ')

/** Those that were let in by this one, and by those. */
const letInBy = (all, id) => all.filter(({ maker }) => maker === id)
  .flatMap((one) => [one, ...letInBy(all, one.id)])

/** Reads who is signed in, again and again until `signal` is aborted. */
async function watch(signal, show) {
  for (;;) {
    try {
      show(await request('GET', path, undefined, { signal }))
    } catch (failure) {
      if (failure.name === 'AbortError') return
      // Not known any more, or no longer allowed; that lightd is away the page says itself.
      if (failure.status) throw failure
    }
    await new Promise((resume) => setTimeout(resume, interval))
    if (signal.aborted) return
  }
}

/** Everybody who may come in, people's phones first. */
export async function openPeople() {
  const gone = new AbortController()
  const content = element('div', { class: 'phone', 'aria-busy': 'true' }, element('div', { class: 'working' }))
  openSheet({ title: text`People and phones`, back: openMenu, content: [content], close: () => gone.abort() })
  let shown = null
  const list = (all) => element('ul', { class: 'rows' }, ...all.map((one) => element('li', {},
    element('button', { class: 'row', type: 'button', 'data-id': one.id, click: () => openPerson(one) },
      element('b', { dir: 'auto' }, one.name), quiet(facts(one))))))
  let others = []
  const add = pill(text`Add a phone`, () => openLink(), 'pill strong')
  const signOut = pill(text`Sign out all others`, () => openSignOutOthers(others))
  try {
    await watch(gone.signal, (all) => {
      // Only for something else to read: that this list is asked for is the newest use of one's own session.
      const mark = JSON.stringify(all.map((one) => [one.id, one.name, one.origin, facts(one)]))
      if (mark === shown) return
      shown = mark
      const held = content.contains(document.activeElement) ? document.activeElement : null
      const seen = ({ is_self: isSelf, last_used: seen }) => isSelf ? Infinity : Date.parse(seen ?? 0)
      const pages = all.filter(({ origin }) => origin !== 'command').sort((one, other) => seen(other) - seen(one))
      const programs = all.filter(({ origin }) => origin === 'command')
      others = pages.filter(({ is_self: isSelf }) => !isSelf)
      content.replaceChildren(list(pages),
        ...programs.length ? [element('h3', {}, text`Programs`), list(programs)] : [],
        element('div', { class: 'actions' }, add, others.length ? signOut : null))
      content.removeAttribute('aria-busy')
      const [id, same] = [held?.getAttribute('data-id'), /** @type {any} */ (held)]
      if (same?.isConnected) same.focus()
      else if (id) content.querySelector(`[data-id="${id}"]`)?.focus()
    })
  } catch (failure) {
    content.replaceChildren(element('p', { role: 'alert' }, failure.words))
    content.removeAttribute('aria-busy')
  }
}

/** This device, as its session says: not everybody may see the others. */
export const openSelf = () => openPerson({ ...page.session, is_self: true, origin: 'link' }, openMenu)

/**
 * What one of them may do, and what may be done about it.
 * @param {any} one
 * @param {() => any} back
 */
function openPerson(one, back = openPeople) {
  const { id, name, access, ends, origin, is_self: isSelf, last_used: seen, created } = one
  const isPage = origin !== 'command'
  const change = (body) => request('PUT', isSelf ? '/v1/session' : `${path}?id=${id}`, body)
  const said = element('p', { role: 'status' })
  const input = element('input', { id: 'name', value: name, maxlength: 64, required: true, dir: 'auto', autocomplete: 'off' })
  const rename = (event) => {
    event.preventDefault()
    act(async () => {
      const { name: now, ...rest } = await change({ name: input.value })
      if (isSelf) page.session = { ...page.session, ...rest, name: now }
      openPerson({ ...one, name: now }, back)
    })
  }
  const until = endChoice(() => act(async () => {
    if (until.value === null) return
    const { ends: now } = await change({ ends: until.value })
    setText(said, now ? text`Until ${endTime(now)}.` : text`Without an end.`)
  }))
  if (!ends) until.showNever()
  openSheet({
    title: name, place: isSelf ? text`This device` : null, back,
    content: [
      element('p', {}, isSelf ? rights(access) : `${roleName(access)}: ${hint(access)}.`),
      ends && isSelf ? element('p', {}, text`Until ${endTime(ends)}.`) : null,
      isSelf && access !== 'full' ? element('p', { class: 'quiet' },
        text`For more, somebody who may do everything makes you a new link.`) : null,
      created ? element('p', { class: 'quiet' }, seen ? text`Here since ${clockTime(created)}, last seen ${ago(seen)}.`
        : text`Here since ${clockTime(created)}, not seen yet.`) : null,
      ...isPage ? [
        element('form', { class: 'form', submit: rename }, element('label', { for: 'name' }, text`Name`), input,
          element('div', { class: 'actions' }, element('button', { class: 'pill', type: 'submit' }, text`Save the name`))),
        ...isSelf ? [] : [until.node, ends ? setAnd(said, text`Until ${endTime(ends)}.`) : said],
        element('div', { class: 'actions' },
          pill(text`Sign out`, isSelf ? () => openSignOut() : () => openSignOutOf(one)))
      ] : [element('p', {}, text`It is a program with a code of its own. On lightd's machine, “lightctl token” manages it.`)]
    ].filter(Boolean)
  })
}

const setAnd = (node, words) => {
  setText(node, words)
  return node
}

// MARK: Signing out

/**
 * Whoever goes has perhaps let in the family: asks whether those stay. `keep` is whether they do.
 */
function heirs(names) {
  if (!names.length) return { content: [], keep: false }
  const [stay, go] = [text`They stay`, text`They go, too`]
  const chosen = choice(text`What about those who were let in from there?`, [stay, go], none)
  chosen.show(stay)
  return {
    content: [chosen.node, element('ul', { class: 'rows' },
      ...names.map((name) => element('li', { class: 'row', dir: 'auto' }, name)))],
    get keep() { return chosen.value === stay }
  }
}

const away = (keep) => keep ? '&keep=true' : ''

/** Asks first: the way back needs another device. */
export const openSignOut = () => opening(async () => {
  const { ends_with_it: others = [] } = await request('GET', '/v1/session')
  const left = page.may('manage') ? (await request('GET', path)).filter(
    ({ origin, access, is_self: isSelf }) => origin !== 'command' && access === 'full' && !isSelf) : null
  return { others, left }
}, ({ others, left }) => {
  const after = heirs(others)
  const warning = left && !left.length
    ? text`No other phone may do everything. Afterwards only “lightctl open” on lightd's machine lets somebody in again.`
    : left?.every(({ name }) => others.includes(name))
      ? text`If they go, too, no phone is left that may do everything: then only “lightctl open” on lightd's machine lets somebody in again.`
      : null
  ask({
    title: text`Sign out?`, back: openMenu, stay: [text`Stay`, openMenu],
    go: [text`Sign out`, () => page.signOut(after.keep)],
    content: [element('p', {}, text`To sign in again, this browser needs a new link or an access code.`),
      ...after.content, warning ? element('p', { class: 'bad' }, warning) : null].filter(Boolean)
  })
})

const openSignOutOf = ({ id, name }) => opening(() => request('GET', path), (all) => {
  const after = heirs(letInBy(all, id).filter(({ is_self: isSelf }) => !isSelf)
    .map(({ name }) => name))
  ask({
    title: text`Sign out?`, place: name, back: openPeople, stay: [text`Stay`, openPeople],
    go: [text`Sign out`, () => act(async () => {
      await request('DELETE', `${path}?id=${id}${away(after.keep)}`)
      openPeople()
      showMessage(text`${isolated(name)} is signed out.`)
    })],
    content: [element('p', {}, text`To come in again, it needs a new link.`), ...after.content]
  })
})

const openSignOutOthers = (others) => ask({
  title: text`Sign out all others?`, back: openPeople, stay: [text`Stay`, openPeople],
  go: [text`Sign out`, () => act(async () => {
    await request('DELETE', `${path}?others=true`)
    openPeople()
    showMessage(text`All others are signed out.`)
  })],
  content: [element('p', {}, text`Each of them needs a new link to come in again. Programs stay.`),
    element('ul', { class: 'rows' }, ...others.map(({ name }) => element('li', { class: 'row', dir: 'auto' }, name)))]
})

// MARK: A link

const newEnd = () => {
  const until = endChoice()
  until.showNever()
  return until
}

/** `until`: what was chosen before. */
function openLink(until = newEnd()) {
  const make = (access) => {
    const ends = until.value
    if (ends === null) return until.node.querySelector('input[type=date]').focus()
    makeLink(ends === 'never' ? { access } : { access, ends }, () => openLink(until))
  }
  const row = (access) => element('li', {}, element('button', { class: 'row', type: 'button', click: () => make(access) },
    element('b', {}, roleName(access)), quiet(hint(access))))
  openSheet({
    title: text`Add a phone`, back: openPeople,
    content: [until.node, element('h3', {}, text`What may it do?`),
      element('ul', { class: 'rows' }, ...['full', 'control', 'look'].map(row))]
  })
}

/** How long lightd waits for who opens a link: all that a device knows whose clock is wrong. */
const longest = 600_000

async function makeLink(wanted, back) {
  const gone = new AbortController()
  const content = element('div', { class: 'phone', 'aria-busy': 'true' }, element('div', { class: 'working' }))
  openSheet({ title: text`Add a phone`, back, content: [content], close: () => gone.abort() })
  try {
    const { signal } = gone
    const all = await request('GET', path, undefined, { signal })
    const before = new Set(all.map(({ id }) => id))
    const self = all.find(({ is_self: isSelf }) => isSelf)?.id
    const { url, also = [], access, ends, expires, qr, hint } = await request('POST', '/v1/links', wanted, { signal })
    const left = Date.parse(expires) - Date.now()
    const over = performance.now() + (left > 0 && left <= longest ? left : longest)
    const copied = element('span', { role: 'status', class: 'quiet' })
    // Browsers offer the clipboard to pages over TLS and from localhost only.
    const copy = navigator.clipboard ? pill(text`Copy link`, async () => {
      try {
        await navigator.clipboard.writeText(url)
        setText(copied, text`Copied.`)
      } catch {
        setText(copied, text`The browser does not allow it: select the link and copy it.`)
      }
    }) : null
    const role = roleName(access)
    content.replaceChildren(
      // With a hint no phone can open it, and a code would lead nowhere.
      // lightd knows more of it in English.
      hint ? element('p', { class: 'bad' },
        language === 'en' ? sentence(hint) : text`No phone can open it: lightd is heard on its own machine alone.`) : '',
      qr && !hint ? drawCode(qr) : '',
      hint ? '' : element('p', {}, text`Scan it with the phone's camera.`),
      element('p', { role: 'status' }, text`It works once, until ${clockTime(expires)}.`),
      element('p', { class: 'quiet' }, ends ? text`Whoever opens it gets: ${role}, until ${endTime(ends)}.`
        : text`Whoever opens it gets: ${role}.`),
      element('p', { class: 'address' }, url),
      ...also.map((url) => element('p', { class: 'address' }, url)),
      element('div', { class: 'actions' }, copy, copied))
    content.removeAttribute('aria-busy')
    const said = element('p', { role: 'status' })
    let isUsed = false
    await watch(signal, (all) => {
      // Who is named only later is named here, too.
      const user = all.find(({ id, origin, maker }) => origin === 'link' && maker === self && !before.has(id))
      isUsed ||= Boolean(user)
      if (!isUsed && performance.now() < over) return
      if (!said.isConnected) {
        content.replaceChildren(said,
          isUsed ? '' : element('div', { class: 'actions' }, pill(text`Make a new link`, () => makeLink(wanted, back))))
      }
      if (user) setText(said, text`The link was used: ${isolated(user.name)} is signed in.`)
      else if (!isUsed) setText(said, text`The time of the link is over.`)
    })
  } catch (failure) {
    if (failure.name === 'AbortError') return
    content.replaceChildren(element('p', { role: 'alert' }, failure.words))
    content.removeAttribute('aria-busy')
  }
}

/** Dark on white in either scheme, with the quiet zone of four modules that scanners need. */
function drawCode({ size, rows }) {
  const runs = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map(({ index, 0: run }) =>
    `M${index + 4} ${y + 4}h${run.length}v1h-${run.length}z`))
  const svg = drawing(runs.join(''), `0 0 ${size + 8} ${size + 8}`)
  const attributes = {
    class: 'code', role: 'img', 'aria-label': text`The link as a QR code`, 'aria-hidden': null,
    'shape-rendering': 'crispEdges'
  }
  for (const [name, value] of Object.entries(attributes)) setAttribute(svg, name, value)
  return svg
}
