import { act } from './act.js'
import { Failure, perform, request } from './api.js'
import { byID, element, setAttribute, setText, whenLoaded } from './dom.js'
import { clearHouse, paintHouse } from './house.js'
import { Lamp } from './lamp.js'
import { openMenu, openReplacement } from './menu.js'
import { page } from './page.js'
import { closeSheet } from './sheet.js'
import { hideSignIn, redeem, showSignIn, takeLink } from './signin.js'
import { Defect, Stream } from './stream.js'
import { counted, text } from './text.js'
import { announce, forgetNews, hideToast, say, showFailure, showMessage, showUndo } from './toast.js'
import { clockTime } from './times.js'

/** A connection that is back within this time was not worth a word. */
const grace = 1500
/** What changes this long after a command of this page is taken for its effect. */
const echo = 4000
/** A page that was not used for this long is not in use. */
const rest = 5000

let lostAt = null
/** Why, in lightd's words, if it has answered. */
let reason = null
let isDefect = false
let showingLoss = null
let connection = new AbortController()
let fingers = 0
let isFirstPaint = true
/** Of the files that this page is made of, as their path says. */
const version = import.meta.url.split('/').at(-2)
/** That of lightd's files, if they are others. */
let newVersion = null
/** When a hand was last on the page. */
let usedAt = performance.now()
const followers = new Set()

const stream = new Stream({ event: receive, connected, lost, signedOut })

// MARK: What lightd says

function receive(name, data) {
  if (name === 'page') {
    const { tiles, ...frame } = data
    Object.values(tiles).forEach((tile) => report(tile, false))
    show(frame)
  } else if (name === 'tile') {
    report(data, true)
  } else if (name === 'frame') {
    show(data)
  } else if (name === 'automations') {
    followers.forEach((follower) => follower(name))
  }
}

function report(model, isNews) {
  const lamp = page.lamps.get(model.key) ?? page.awaited.get(model.key)
  page.lamps.set(model.key, lamp ?? new Lamp(model))
  page.awaited.delete(model.key)
  if (!lamp) return
  const before = lamp.model
  lamp.report(model)
  const changedAt = Math.max(lamp.changedAt, page.changedAt)
  // Of a bridge that is lost or back the notice speaks: none of its lamps has changed.
  const isKnown = [before, model].every(({ freshness }) => freshness !== 'stale')
  if (isNews && isKnown && model.kind === 'light' && before.valueText !== model.valueText &&
    performance.now() - changedAt > echo) announce(model.title, model.valueText)
}

function show(frame) {
  if (page.frame?.access !== frame.access) {
    // Controls are made with the tiles.
    clearHouse()
    fingers = 0
    if (page.frame && byID('sheet').open) closeSheet()
    // It may offer what is no longer allowed.
    if (page.frame) hideToast()
    page.access = frame.access
  }
  page.frame = frame
  // Tiles that no section names are gone, if their bridge is not only about to tell its lights again.
  const named = new Set(frame.sections.flatMap(({ whole, tiles }) => [whole, ...tiles]))
  for (const [key, lamp] of page.lamps) {
    if (named.has(key)) continue
    page.lamps.delete(key)
    page.awaited.set(key, lamp)
  }
  const silent = new Set(frame.bridges.filter(({ state }) => state !== 'connected').map(({ id }) => id))
  for (const key of page.awaited.keys()) if (!silent.has(key.split('/')[1])) page.awaited.delete(key)
  paint()
}

function paint() {
  // What is under a finger keeps its place; the newest frame is shown when it is gone.
  if (!page.frame || fingers > 0) return
  paintHouse(page.frame, isFirstPaint)
  isFirstPaint = false
  byID('all-off').hidden = !page.may('change') || page.lamps.size === 0
  const off = (button, isOff) => setAttribute(button, 'aria-disabled', isOff ? 'true' : null)
  off(byID('all-off'), !page.isConnected || !page.frame.allOff.possible)
  document.querySelectorAll('#sections button.chip').forEach((chip) => off(chip, !page.isConnected))
  byID('menu').hidden = false
  setText(byID('role'), page.may('change') ? '' : text`Look only`)
  followers.forEach((follower) => follower())
}

// MARK: The connection

function connected(served) {
  lostAt = null
  clearTimeout(showingLoss)
  page.isConnected = true
  connection.abort()
  connection = new AbortController()
  page.connection = connection.signal
  hideSignIn()
  if (!byID('connection').hidden) say(text`Connected again.`)
  byID('connection').hidden = true
  document.body.classList.remove('lost')
  // Again: another tab may have signed this browser in anew.
  loadSession()
  paint()
  if (!served || served === version) return
  if (newVersion === null) setTimeout(update, 0)
  newVersion = served
}

function lost(failure) {
  reason = failure instanceof Failure ? failure.words : null
  isDefect = failure instanceof Defect
  if (isDefect) console.error(failure.cause)
  const isNews = lostAt === null
  if (isNews) {
    lostAt = Date.now()
    connection.abort()
    showingLoss = setTimeout(showLoss, grace)
  }
  if (isDefect || (!isNews && !byID('connection').hidden)) showLoss()
}

function showLoss() {
  // A hidden page has given its connection back; it is asked for again when the page is seen.
  if (lostAt === null || document.hidden) return
  page.isConnected = false
  document.body.classList.add('lost')
  const bubble = byID('connection')
  const words = isDefect
    ? text`Something went wrong on this page: it does not show the lights as they are since ${clockTime(lostAt)}.`
    : [text`Not connected since ${clockTime(lostAt)}.`, reason].filter(Boolean).join(' ')
  const way = isDefect ? text`Reload` : text`Try now`
  if (bubble.hidden || bubble.lastChild.textContent !== way) {
    bubble.replaceChildren(element('span', {}, words),
      element('button', { type: 'button', click: () => (isDefect ? location.reload() : stream.retry()) }, way))
    bubble.hidden = false
  } else {
    setText(bubble.firstChild, words)
  }
  if (isDefect) return
  if (page.frame) return paint()
  setText(byID('summary'), '')
  delete byID('empty').dataset.words
  byID('empty').replaceChildren(element('h2', {}, text`Not connected`),
    element('p', {}, `${reason ?? text`lightd does not answer.`} ${text`The page tries again by itself.`}`))
  byID('empty').hidden = false
}

/** What only lightd can do. */
const controls = 'main :is(.surface, .switch, .chip, .upcoming), #all-off, .sheet-body :is(button, input, select, .field, .surface)'

/** Nothing is done while lightd is away, but not without a word. */
function refuse(event) {
  if (!document.body.classList.contains('lost') || !event.target.closest?.(controls)) return
  if (event.type === 'keydown' && ['Tab', 'Shift', 'Escape'].includes(event.key)) return
  event.preventDefault()
  event.stopPropagation()
  if (event.type === 'pointerdown' || event.repeat) return
  const bubble = byID('connection')
  bubble.getAnimations().forEach((animation) => animation.cancel())
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  bubble.animate(isStill ? { opacity: [0.4, 1] } : { scale: [1, 1.06, 1] }, 300)
  // Said again: a live region is read when its content changes.
  say('')
  setTimeout(() => say(text`Not connected: nothing can be changed now.`), 100)
}

for (const use of ['click', 'pointerdown', 'keydown']) document.addEventListener(use, refuse, { capture: true })

document.addEventListener('visibilitychange', () => {
  if (document.hidden || lostAt === null) return
  clearTimeout(showingLoss)
  showingLoss = setTimeout(showLoss, grace)
})

// MARK: Another version of lightd

/** Loads the page anew when nobody is using it, because its files are of another version than lightd. */
function update() {
  const isInUse = fingers > 0 || byID('sheet').open || !byID('toast').hidden || document.querySelector('.arranging') ||
    performance.now() - usedAt < rest
  // Not even unseen where something is filled in.
  if (isInUse && (!document.hidden || byID('sheet').matches('[data-keeps], :has(form)'))) return setTimeout(update, 500)
  // Whatever keeps the old files would keep them for ever.
  if (sessionStorage.getItem('updated') === newVersion) {
    const reload = element('button', { type: 'button', click: () => location.reload() }, text`Reload`)
    return showMessage(text`lightd was updated. Reload the page to use its new version.`, reload)
  }
  sessionStorage.setItem('updated', newVersion)
  location.reload()
}

for (const use of ['pointerdown', 'pointermove', 'keydown', 'wheel']) {
  addEventListener(use, () => { usedAt = performance.now() }, { capture: true, passive: true })
}

// MARK: Who is here

async function loadSession() {
  try {
    page.session = await request('GET', '/v1/session')
  } catch (failure) {
    // Only its name is missing: the stream says what may be done.
    if (failure.status === 401) signedOut()
  }
}

/** What is said where the page was in use, and nobody signed it out there. */
const ended = { words: text`This page was signed out, here or from another device.` }

async function signedOut(failure = page.frame && ended) {
  stream.stop()
  connection.abort()
  clearTimeout(showingLoss)
  Object.assign(page, { frame: null, session: null, isConnected: false, access: null })
  lostAt = null
  fingers = 0
  isFirstPaint = true
  page.lamps.clear()
  page.awaited.clear()
  clearHouse()
  hideToast()
  forgetNews()
  if (byID('sheet').open) closeSheet()
  document.body.classList.remove('lost')
  for (const id of ['all-off', 'menu', 'connection', 'empty']) byID(id).hidden = true
  setText(byID('role'), '')
  setText(byID('title'), text`Home`)
  setText(byID('summary'), '')
  document.title = 'lightd'
  showSignIn(enter, failure)
  // Where another tab signs in anew, the old session ends before the browser has the new one.
  if (failure === ended) setTimeout(lookForSession, 2000)
}

document.addEventListener('visibilitychange', () => { if (!document.hidden) lookForSession() })

/** Another tab may have signed this browser in meanwhile. What is typed here stays if none has. */
async function lookForSession() {
  // Whoever is being welcomed is signed in.
  if (byID('sign-in').hidden || document.querySelector('.welcome')) return
  try {
    await request('GET', '/v1/session')
    stream.start()
  } catch {
    // Still nobody is signed in, or lightd is away: the form says what to do.
  }
}

async function start() {
  const link = takeLink()
  if (!link) return stream.start()
  try {
    await enter(await redeem(link))
  } catch (failure) {
    keep(link, failure)
  }
}

/** Whoever is signed in stays so: after a link that was used before, and after another until the reader wants it. */
async function keep(link, failure) {
  try {
    const session = page.session = await request('GET', '/v1/session')
    stream.start()
    if (failure.code === 'signed_in') openReplacement(session, () => replace(link))
    else showFailure(failure)
  } catch {
    signedOut(failure)
  }
}

async function replace(link) {
  closeSheet()
  try {
    await enter(await redeem(link, true))
  } catch (failure) {
    showFailure(failure)
  }
}

/** Shows the home to who has just signed in, and has perhaps given this device a name. */
async function enter(session) {
  // Whoever was followed before is somebody else.
  stream.stop()
  Object.assign(page, { frame: null, isConnected: false })
  isFirstPaint = true
  page.lamps.clear()
  clearHouse()
  setText(byID('summary'), '')
  // Without that file the home is shown at once: the name can be given later, in the menu.
  const file = await import('./welcome.js').catch(() => null)
  await file?.welcome(session)
  stream.start()
}

let isTouched = false

/** Nothing moves under a hand, nor while it scrolls: what is new comes when it has left, and what it did is done. */
function feel({ target, touches }) {
  if (isTouched && touches.length > 1) return
  if (!isTouched) page.hold()
  isTouched = true
  const lift = ({ touches }) => {
    if (touches.length) return
    for (const end of ['touchend', 'touchcancel']) target.removeEventListener(end, lift)
    setTimeout(() => {
      if (!isTouched) return
      isTouched = false
      page.letGo()
    }, 50)
  }
  // Of the node itself: one that has left the page is heard nowhere else.
  for (const end of ['touchend', 'touchcancel']) target.addEventListener(end, lift)
}
addEventListener('touchstart', feel, { capture: true, passive: true })

Object.assign(page, {
  hold() { fingers += 1 },
  letGo() {
    fingers = Math.max(0, fingers - 1)
    paint()
  },
  follow(follower) {
    followers.add(follower)
    return () => followers.delete(follower)
  },
  /** `keep`: those stay that were let in from here. */
  async signOut(keep = false) {
    try {
      await request('DELETE', `/v1/session${keep ? '?keep=true' : ''}`)
      signedOut(null)
    } catch (failure) {
      showFailure(failure)
    }
  }
})

// The index is the same for all, and has no words of its own.
setText(byID('summary'), text`Connecting…`)
setText(byID('all-off'), text`All off`)

byID('menu').addEventListener('click', openMenu)
byID('all-off').addEventListener('click', () => act(async () => {
  if (!page.frame?.allOff.possible) return
  // Before anything goes off: what stays on is on now.
  const { spared } = page.frame.allOff
  await page.changeMany()
  const reply = await perform('all_off')
  const count = reply?.lights?.length ?? 0
  const words = [counted(count, text`1 lamp off.`, text`${count} lamps off.`), spared].filter(Boolean).join(' ')
  if (count) showUndo(words, reply?.ticket)
  else showMessage(words)
}))
// Kept for the menu: the browser's own question comes once, and when nobody thinks of it.
addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault()
  page.install = event
})
addEventListener('appinstalled', () => { page.install = null })
addEventListener('hashchange', () => { if (location.hash.startsWith('#join=')) start() })
start()

// Not where the page is served plainly: browsers keep service workers to TLS and localhost. It fetches the files once
// more, after the page has all it needs.
if ('serviceWorker' in navigator) {
  whenLoaded(() => navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }).catch(() => {}))
}
