import { byID, drawing, element } from './dom.js'
import { text } from './text.js'

let closing = null
/** Changes with what the sheet shows. */
let turn = 0

/**
 * Opens the sheet, in place of what it shows. `content` goes below its title; `close` is called once when it is closed
 * or shows something else. `back`: what the way back opens.
 * @param {{ title: string, place?: string, content: (Node | string)[], close?: () => void, back?: () => void }} options
 */
export function openSheet({ title, place = null, content, close = () => {}, back = null }) {
  const sheet = byID('sheet')
  turn += 1
  closing?.()
  closing = close
  const heading = element('h2', { id: 'sheet-title', dir: 'auto', tabindex: -1 }, title)
  sheet.replaceChildren(
    // Whatever is not in an open dialog can be neither heard nor clicked.
    byID('overlay'),
    element('div', { class: 'sheet-head' },
      back && element('button', { class: 'pill round', type: 'button', 'aria-label': text`Back`, click: back },
        drawing('M15 5l-7 7 7 7')),
      element('div', { class: 'names' }, heading, place && element('p', { dir: 'auto' }, place)),
      element('button', { class: 'pill round', type: 'button', 'aria-label': text`Close`, click: closeSheet },
        drawing('M6 6l12 12M18 6L6 18'))),
    element('div', { class: 'sheet-body' }, ...content))
  if (!sheet.open) sheet.showModal()
  sheet.scrollTop = 0
  // Not on the first control: a screen reader reads what the sheet is, and no key changes a light by accident.
  heading.focus()
}

export function closeSheet() { byID('sheet').close() }

/** Returns what tells whether the reader is still where they are now. */
export function here() {
  const now = turn
  return () => now === turn
}

byID('sheet').addEventListener('close', () => {
  turn += 1
  closing?.()
  closing = null
  document.body.append(byID('overlay'))
  byID('sheet').replaceChildren()
})
// The dialog fills itself with its content: only its backdrop is hit outside of that.
byID('sheet').addEventListener('click', (event) => {
  if (event.target !== event.currentTarget) return
  const { left, right, top, bottom } = byID('sheet').getBoundingClientRect()
  const isInside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom
  if (!isInside) closeSheet()
})
