import { act, lazily, opening } from './act.js'
import { perform, request } from './api.js'
import { element, setText } from './dom.js'
import { arrangeRooms } from './house.js'
import { page } from './page.js'
import { openPairing, pair } from './pairing.js'
import { closeSheet, openSheet } from './sheet.js'
import { isolated, text } from './text.js'
import { ago, everyMinute, withTime } from './times.js'
import { undo } from './toast.js'

const openLog = lazily(() => import('./log.js'), 'openLog')
const openUpcoming = lazily(() => import('./upcoming.js'), 'openUpcoming')
export const openAutomations = lazily(() => import('./automations.js'), 'openAutomations')
const openRooms = lazily(() => import('./setup.js'), 'openRooms')
const openSensors = lazily(() => import('./sensors.js'), 'openSensors')
const people = () => import('./people.js')
const openPeople = lazily(people, 'openPeople')
const openSelf = lazily(people, 'openSelf')
const openSignOut = lazily(people, 'openSignOut')
const openInstall = lazily(() => import('./welcome.js'), 'openInstall')

/** What a role is called; one of a newer lightd is taken for the least. */
export const roleName = (access) => ({
  full: text`Everything`, control: text`Control`, read_only: text`Look, with the log`
})[access] ?? text`Look`

const isInstalled = () => matchMedia('(display-mode: standalone)').matches || /** @type {any} */ (navigator).standalone === true

/** Bridges and their health, and the ways to all that is no lamp and no scene. */
export function openMenu() {
  const { list, stop } = bridges()
  const row = (words, hint, click) => element('li', {}, element('button', { class: 'row', type: 'button', click },
    element('b', {}, words), element('span', { class: 'quiet' }, hint)))
  openSheet({
    title: page.frame?.title ?? text`Home`, close: stop,
    content: [
      element('h3', {}, text`Bridges`), list,
      element('ul', { class: 'rows' },
        row(text`Upcoming`, text`What happens today and tomorrow`, () => openUpcoming(openMenu)),
        row(text`Automations`, text`What the home does by itself`, () => openAutomations(openMenu)),
        page.may('change') ? row(text`Undo`, text`Take back the newest change`, openUndo) : null,
        row(text`Sensors`, text`Motion, warmth, light, batteries`, () => openSensors()),
        page.may('manage') ? row(text`Rooms and lamps`, text`Move, rename, hide`, () => openRooms()) : null,
        row(text`Arrange the rooms`, text`Their order on this device`, arrangeRooms),
        page.may('manage') ? row(text`Pair a bridge`, text`Find one on this network`, () => openPairing()) : null,
        page.may('log') ? row(text`Log`, text`What happened, and who did it`, () => openLog()) : null,
        page.may('manage') ? row(text`People and phones`, text`Who may come in, and a new phone`, () => openPeople()) : null,
        page.session?.name ? row(text`This device`, `${isolated(page.session.name)} · ${roleName(page.access)}`, () => openSelf()) : null,
        isInstalled() ? null : row(text`Install as an app`, text`On the home screen`, () => openInstall()),
        row(text`Sign out`, text`On this device`, () => openSignOut()))
    ]
  })
}

/**
 * Asks before something is done. `stay` and `go` are buttons, `[words, click]`; with `stay` all stays as it is.
 * @param {any} question
 */
export function ask({ content, stay, go, ...sheet }) {
  const button = (type, [words, click]) => element('button', { class: type, type: 'button', click }, words)
  const actions = element('div', { class: 'actions' }, button('pill', stay), button('pill strong', go))
  openSheet({ ...sheet, content: [...content, actions] })
}

// MARK: Undo

/** Says what the newest change in the home is, whoever made it, and takes back that one. */
const openUndo = () => opening(async () => {
  const { tickets: [ticket] } = await perform('undo', { dry_run: true })
  return { ticket, ...await request('GET', `/v1/page/command?ticket=${ticket}`) }
}, ({ ticket, text: change, at }) => {
  const takeBack = () => act(async () => {
    closeSheet()
    await undo(ticket)
  })
  ask({
    title: text`Undo?`, back: openMenu, stay: [text`Keep it`, openMenu], go: [text`Undo`, takeBack],
    content: [element('p', {}, text`The newest change in this home: ${change}, ${ago(at)}.`)]
  })
})

// MARK: Signing in anew

/** Asks whether a link may take the place of the session that this browser has. */
export function openReplacement({ name, ends_with_it: others }, use) {
  ask({
    title: text`Sign in anew?`, place: name ?? null, stay: [text`Stay`, closeSheet], go: [text`Use the link`, use],
    content: [
      element('p', {}, text`This browser is signed in. The link that was opened would sign it in anew, perhaps with other rights.`),
      ...goWithIt(others)
    ]
  })
}

const goWithIt = (names = []) => names.length ? [
  element('p', {}, text`What was added from here is signed out, too:`),
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

function bridge({ id, title, state }, health) {
  const action = (words, click) => element('button', { class: 'link', type: 'button', click }, words)
  return element('li', { class: 'row', 'data-state': state },
    element('div', { class: 'grow' }, element('b', { dir: 'auto' }, title), health),
    page.may('manage') && state === 'not_paired' ? action(text`Pair again`, () => pair(id, title)) : null,
    page.may('manage') ? action(text`Forget`, () => openForget(id, title)) : null)
}

function openForget(id, title) {
  const forget = () => act(async () => {
    await perform('forget', { bridge: id })
    openMenu()
  })
  ask({
    title: text`Forget this bridge?`, place: title, back: openMenu, stay: [text`Keep it`, openMenu],
    go: [text`Forget`, forget],
    content: [
      element('p', {}, text`Its lights leave the page, and lightd can no longer switch them until it is paired again.`)
    ]
  })
}
