import { act } from './act.js'
import { perform } from './api.js'
import { range } from './controls.js'
import { element, setStyle } from './dom.js'
import { page } from './page.js'
import { closeSheet, openSheet } from './sheet.js'
import { showUndo } from './toast.js'

/** Several keys set one speed. */
const keyPause = 500

/** How a scene can be recalled. `place`: the name of its room. */
export function openScene(scene, place, back = null) {
  const shown = () => page.frame?.sections.flatMap(({ scenes }) => scenes).find(({ id }) => id === scene.id) ?? scene
  /** As it is set here; `null` leaves it to the scene. */
  let chosen = null
  let sending = null
  const dynamically = () => ({ dynamic: true, speed: chosen })
  const way = (words, hint, fields) => element('li', {}, element('button', {
    class: 'row', type: 'button', click: () => {
      clearTimeout(sending)
      closeSheet()
      recall(scene, fields())
    }
  }, element('b', {}, words), element('span', { class: 'quiet' }, hint)))
  const speed = range('Speed of a dynamic scene', 0, 100, {
    touch() { clearTimeout(sending) },
    // What moves is told at once.
    leave() { if (shown().detail) sending = setTimeout(() => recall(scene, dynamically()), keyPause) },
    paint: () => paint()
  }, (value) => {
    chosen = value
    paint()
  })
  setStyle(speed.input, '--glow', 'var(--quiet)')
  const paint = () => {
    const percent = chosen ?? shown().speed
    const value = Math.round(percent ?? 50)
    speed.show(value, `${value}%`, percent !== null, percent === null ? 'as saved' : `${value}%`)
    setStyle(speed.input, '--filled', `${value}%`)
  }
  paint()
  openSheet({
    title: scene.title, place, back, close: page.follow(paint), content: [element('ul', { class: 'rows' },
      way('Recall', 'Its lights as they were saved, without moving', () => ({ dynamic: false })),
      way('Recall dynamically', 'Its lights move through its colours', dynamically)), speed.node]
  })
}

/** Recalls a scene, and offers to take it back. `fields`: of the command. */
export const recall = ({ id, title }, fields = {}) => act(async () => {
  await page.changeMany()
  const reply = await perform('recall', { scene: id, ...fields })
  showUndo(`Scene ${title}${fields.dynamic ? ', dynamic' : ''}`, reply?.ticket)
})
