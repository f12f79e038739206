import { byID, drawing, element, setAttribute } from './dom.js'
import { text } from './text.js'
import { hideToast, showMessage } from './toast.js'

let closing = null
/**
 * How the reader may leave what is shown.
 * @type {any}
 */
let shown = null
/** Something was typed into a form, and not sent. */
let isTyped = false
/** Changes with what the sheet shows. */
let turn = 0

/**
 * Opens the sheet, in place of what it shows. `content` goes below its title; `close` is called once when it is closed
 * or shows something else. `back`: what the way back opens. `keeps`: it is part of what is edited, and Escape leads
 * back, too. `isLost()`: whether the reader leaves something that is not saved yet, beside what is typed into a form;
 * `again` opens what they left.
 * @param {{ title: string, place?: string, content: (Node | string)[], close?: () => void, back?: () => void,
 *   keeps?: boolean, isLost?: () => boolean, again?: () => void }} options
 */
export function openSheet(options) {
  const { title, place = null, content, close = () => {}, back = null } = options
  const { keeps = false, isLost = () => false } = options
  const sheet = byID('sheet')
  const again = options.again ?? (() => {
    openSheet(options)
    isTyped = true
  })
  shown = { back: keeps ? back : null, isLost, again }
  isTyped = false
  setAttribute(sheet, 'data-keeps', keeps)
  turn += 1
  closing?.()
  closing = close
  const heading = element('h2', { id: 'sheet-title', dir: 'auto', tabindex: -1 }, title)
  sheet.replaceChildren(
    // Whatever is not in an open dialog can be neither heard nor clicked.
    byID('overlay'),
    element('div', { class: 'sheet-head' },
      back && round(text`Back`, 'M15 5l-7 7 7 7', () => leave(back)),
      element('div', { class: 'names' }, heading, place && element('p', { dir: 'auto' }, place)),
      round(text`Close`, 'M6 6l12 12M18 6L6 18', () => leave(closeSheet))),
    element('div', { class: 'sheet-body' }, ...content))
  if (!sheet.open) sheet.showModal()
  sheet.scrollTop = 0
  // Not on the first control: a screen reader reads what the sheet is, and no key changes a light by accident.
  heading.focus()
}

const round = (label, path, click) =>
  element('button', { class: 'pill round', type: 'button', 'aria-label': label, click }, drawing(path))

export function closeSheet() { byID('sheet').close() }

/** The reader goes: nothing that they filled in is lost without a word. */
function leave(way) {
  // What was just typed belongs to it.
  byID('sheet').querySelector(':is(form, .questions) :focus')?.blur()
  const left = shown
  const isLost = left && (isTyped || left.isLost())
  shown = null
  way()
  if (!isLost || shown?.again === left.again) return
  showMessage(text`This is not saved yet.`, element('button', {
    type: 'button', click: () => {
      hideToast()
      left.again()
    }
  }, text`Go on editing`))
}

/** Returns what tells whether the reader is still where they are now. */
export function here() {
  const now = turn
  return () => now === turn
}

byID('sheet').addEventListener('close', () => {
  // The event comes a moment after the sheet has closed: something else may have been opened since.
  if (byID('sheet').open) return
  turn += 1
  closing?.()
  closing = shown = null
  setAttribute(byID('sheet'), 'data-keeps', null)
  document.body.append(byID('overlay'))
  byID('sheet').replaceChildren()
})
// The dialog fills itself with its content: only its backdrop is hit outside of that.
byID('sheet').addEventListener('click', (event) => {
  if (event.target !== event.currentTarget) return
  const { left, right, top, bottom } = byID('sheet').getBoundingClientRect()
  const isInside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom
  if (!isInside) leave(closeSheet)
})
byID('sheet').addEventListener('input', ({ target }) => {
  isTyped ||= /** @type {Element} */ (target).closest('form') !== null
})
// Escape, or a phone's own way back. A browser that does not wait closes it in any case.
byID('sheet').addEventListener('cancel', (event) => {
  const back = event.cancelable ? shown?.back : null
  if (back) event.preventDefault()
  leave(back ?? (() => {}))
})
