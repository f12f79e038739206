import { act } from './act.js'
import { perform } from './api.js'
import { element, setText } from './dom.js'
import { page } from './page.js'
import { text } from './text.js'

/** In the sheet of a lamp or a room: what it follows, and what of that somebody has taken over. With its painter. */
export function following(lamp) {
  const words = element('p', { dir: 'auto' })
  const button = (words, command) => element('button', {
    class: 'pill', type: 'button', click: () => act(() => perform(command, { target: lamp.model.target }))
  }, words)
  const buttons = [
    button(text`Resume`, 'resume'), button(text`Stop following`, 'unfollow'), button(text`Follow the day`, 'follow')
  ]
  const mayBegin = lamp.can('follow')
  const box = element('div', { class: 'why' }, element('h3', {}, text`Through the day`), words,
    page.may('change') ? element('div', { class: 'actions' }, ...buttons) : null)
  return [box, ({ follows }) => {
    setText(words, follows?.text ?? '')
    words.hidden = !follows
    const isOffered = [follows?.paused, follows, !follows && mayBegin]
    const held = /** @type {any} */ (document.activeElement)
    buttons.forEach((button, index) => { button.hidden = !isOffered[index] })
    // The focus goes on to what can be done now.
    if (buttons.includes(held) && held.hidden) buttons.find(({ hidden }) => !hidden)?.focus()
    box.hidden = !follows && !mayBegin
  }]
}
