import { perform } from './api.js'
import { element, setStyle, setText } from './dom.js'
import { page } from './page.js'
import { openSheet, closeSheet } from './sheet.js'
import { counted, isolated, text } from './text.js'

/** For how long the link button is waited for. */
const patience = 30

/** Finds bridges, lets one be chosen, waits for its link button, and says what came of it. */
export async function openPairing() {
  const gone = new AbortController()
  step(gone, text`Looking for bridges…`, [working(), line(text`The bridge must have power, and be on the same network.`)])
  try {
    const { discovered = [] } = await perform('discover', {}, { signal: gone.signal })
    const found = discovered.filter(({ id }) => id)
    if (!found.length) {
      return step(gone, text`No bridge found`, [
        line(text`Does it have power, and is it on the same network?`), button(text`Look again`, openPairing, true)
      ])
    }
    const rows = found.map(({ id, name, model, address, paired }) => {
      const facts = [model, address, paired ? text`paired` : null].filter(Boolean).join(' · ')
      const choose = () => (isConnected(id) ? openAgain(id, name) : pair(id, name))
      return element('li', {}, element('button', { class: 'row', type: 'button', click: choose },
        element('b', { dir: 'auto' }, name), element('span', { class: 'quiet' }, facts)))
    })
    step(gone, text`Choose a bridge`, [element('ul', { class: 'rows' }, ...rows), button(text`Look again`, openPairing)])
  } catch (failure) {
    if (failure.name !== 'AbortError') failed(gone, failure, openPairing)
  }
}

const isConnected = (id) => page.frame?.bridges.some((bridge) => bridge.id === id && bridge.state === 'connected')

function openAgain(id, name) {
  openSheet({
    title: text`Pair again?`, place: name, back: openPairing,
    content: [
      line(text`It is paired and connected: nothing needs to be done.`),
      element('div', { class: 'actions' },
        element('button', { class: 'pill strong', type: 'button', click: closeSheet }, text`Done`),
        element('button', { class: 'pill', type: 'button', click: () => pair(id, name) }, text`Pair again`))
    ]
  })
}

/** Waits for the link button of this bridge. */
export async function pair(id, name) {
  const gone = new AbortController()
  const seconds = element('b', { class: 'seconds' })
  const bridge = element('div', { class: 'bridge' }, seconds)
  const until = performance.now() + patience * 1000
  const tick = () => {
    const left = Math.max(0, until - performance.now()) / 1000
    setText(seconds, String(Math.ceil(left)))
    setStyle(bridge, '--left', String(left / patience))
  }
  tick()
  const timer = setInterval(tick, 250)
  gone.signal.addEventListener('abort', () => clearInterval(timer))
  step(gone, text`Press the button on the bridge`, [
    bridge, element('p', { role: 'status' }, text`Press the round link button on ${isolated(name)} within ${patience} seconds.`)
  ], openPairing)
  try {
    const { bridge } = await perform('pair', { bridge: id, seconds: patience }, { signal: gone.signal })
    const [title, lights] = [isolated(bridge?.name ?? name), bridge?.lights]
    const words = line(lights === undefined ? text`lightd is paired with ${title}.`
      : counted(lights, text`lightd is paired with ${title}: 1 light.`, text`lightd is paired with ${title}: ${lights} lights.`))
    step(gone, text`Paired`, [words, button(text`Done`, closeSheet, true)])
  } catch (failure) {
    if (failure.name !== 'AbortError') failed(gone, failure, () => pair(id, name))
  } finally {
    clearInterval(timer)
  }
}

/** What a step was waiting for is given up when another one, or nothing, is shown. */
function step(gone, title, content, back = null) {
  openSheet({ title, content, back, close: () => gone.abort() })
}

function failed(gone, failure, again) {
  const words = element('p', { role: 'alert' }, failure.words)
  step(gone, text`Not paired`, [words, button(text`Try again`, again, true)], openPairing)
}

const line = (words) => element('p', {}, words)
const working = () => element('div', { class: 'working', role: 'presentation' })
const button = (words, click, isStrong = false) =>
  element('div', { class: 'actions' },
    element('button', { class: isStrong ? 'pill strong' : 'pill', type: 'button', click: () => click() }, words))
