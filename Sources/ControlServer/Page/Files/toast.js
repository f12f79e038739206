import { perform, request } from './api.js'
import { byID, element, setText } from './dom.js'
import { page } from './page.js'
import { directed, isolated, text } from './text.js'

const shownFor = 10_000
let hiding = null

function show(words, ...buttons) {
  const toast = byID('toast')
  clearTimeout(hiding)
  // The words are replaced, not the element: a live region is read when its content changes.
  toast.replaceChildren(element('span', { dir: 'auto' }, words), ...buttons)
  toast.hidden = false
  const later = () => {
    hiding = setTimeout(() => {
      // Not away from under a hand, nor from under the focus.
      if (toast.matches(':hover, :focus-within')) later()
      else hideToast()
    }, shownFor)
  }
  later()
}

export function hideToast() {
  clearTimeout(hiding)
  byID('toast').hidden = true
}

export const showMessage = (words, ...buttons) => show(words, ...buttons)

/** What was carried out of a command that failed in part can be taken back. */
export function showFailure(failure) {
  if (failure.name === 'AbortError') return
  const buttons = failure.ticket ? [undoButton(failure.ticket)] : []
  show(failure.words ?? failure.message, ...buttons,
    element('button', { type: 'button', click: hideToast }, text`Close`))
}

/** Says what the command with this ticket did, and takes it back if asked to. */
export const showUndo = (words, ticket) => show(words, ...(ticket ? [undoButton(ticket)] : []))

const undoButton = (ticket) => element('button', {
  type: 'button', click: () => undo(ticket), 'aria-keyshortcuts': 'Control+Z Meta+Z'
}, text`Undo`)

// By Tab it may be a hundred lights away.
document.addEventListener('keydown', (event) => {
  const button = byID('toast').hidden ? null : byID('toast').querySelector('[aria-keyshortcuts]')
  const { target } = event
  const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
  const isTyping = target instanceof Element && target.matches('input:not([type=range], [type=radio])')
  if (!button || !isUndo || isTyping) return
  event.preventDefault()
  button.click()
})

/** Takes back the command with this ticket, unless somebody else's came after it. */
export async function undo(ticket) {
  await page.changeMany()
  try {
    const { ticket: own, skipped = [] } = await perform('undo', { ticket })
    const left = skipped.map(({ name }) => text`${isolated(name)} stays as it is: somebody has changed it since.`)
    show([await undoneBy(own), ...left].join(' '))
  } catch (failure) {
    if (failure.code === 'changed_since') show(text`Not undone: somebody else has changed something since.`)
    else showFailure(failure)
  }
}

/** What a command has taken back. That it has is known already. */
async function undoneBy(ticket) {
  const { undone } = await request('GET', `/v1/page/command?ticket=${ticket}`).catch(() => ({ undone: [] }))
  return undone.length ? text`Undone: ${undone.join(', ')}.` : text`Undone.`
}

const announcer = () => byID('announcer')
const news = new Map()
let announcing = null

/** Says what changed elsewhere, politely: what comes within a moment is one sentence. */
export function announce(title, value) {
  news.set(title, value)
  announcing ??= setTimeout(() => {
    announcing = null
    setText(announcer(), news.size > 2
      ? text`${news.size} lights changed.`
      : [...news].map(([title, value]) => `${directed(title)}: ${value}.`).join(' '))
    news.clear()
  }, 1500)
}

/** Nothing of the home is left to be read. */
export function forgetNews() {
  clearTimeout(announcing)
  announcing = null
  news.clear()
  say('')
}

export const say = (words) => setText(announcer(), words)
