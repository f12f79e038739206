import { act, lazily } from './act.js'
import { perform, request } from './api.js'
import { element, setText } from './dom.js'
import { page } from './page.js'
import { openPairing, pair } from './pairing.js'
import { closeSheet, openSheet } from './sheet.js'
import { text } from './text.js'
import { everyMinute, withTime } from './times.js'
import { undo } from './toast.js'

const openLog = lazily(() => import('./log.js'), 'openLog')
const openRooms = lazily(() => import('./rooms.js'), 'openRooms')
const openSensors = lazily(() => import('./sensors.js'), 'openSensors')
const openLink = lazily(() => import('./people.js'), 'openLink')

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
        row(text`Sensors`, text`Motion, warmth, light, batteries`, () => openSensors()),
        page.may('manage') ? row(text`Rooms and lamps`, text`Move, rename, hide`, () => openRooms()) : null,
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
    // What a bridge was when lightd was last heard is not what it is.
    models.forEach(({ text: words, at }, index) => setText(texts[index],
      page.isConnected ? withTime(words, at) : text`lightd does not answer, so nobody knows`))
  }
  const stop = [everyMinute(paint), page.follow(paint)]
  paint()
  return { list, stop: () => stop.forEach((stop) => stop()) }
}

function bridge({ id, title, state }, words) {
  const action = (words, click) => element('button', { class: 'link', type: 'button', click }, words)
  return element('li', { class: 'row', 'data-state': state },
    element('div', { class: 'grow' }, element('b', { dir: 'auto' }, title), words),
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
