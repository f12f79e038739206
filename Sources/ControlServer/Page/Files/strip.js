import { drawing, element, setAttribute, setStyle, setText } from './dom.js'
import { followDrag } from './gestures.js'
import { css } from './lamp.js'
import { page } from './page.js'
import { text } from './text.js'
import { say } from './toast.js'

/**
 * A strip as it looks, with its points on it. A point is dragged to another place, or chosen: then the colour controls
 * of the sheet are for it.
 */
export class StripView {
  /** Of the point that the colour controls are for; `null` if they are for the whole lamp. */
  chosen = null
  #lamp
  /** By place: when two points change places, their buttons stay and show other colours. */
  #handles = []
  /** How far the finger is from the middle of the chosen point's place, in widths of a place. */
  #offset = 0
  #wasDrag

  constructor(lamp) {
    this.#lamp = lamp
    this.words = element('output', { class: 'quiet' })
    this.points = element('div', { class: 'points', role: 'group', 'aria-label': text`Colours of the strip` })
    this.strip = element('div', { class: 'strip' }, this.points)
    const button = (attributes, content, click) => {
      const made = element('button', { type: 'button', ...attributes, click: () => {
        if (made.hasAttribute('aria-disabled')) return
        click()
        // The focus stays on the button.
        say(this.#label(this.chosen))
      } }, content)
      return made
    }
    this.add = button({ class: 'pill' }, text`Add a colour`, () => this.#insert())
    this.remove = button({ class: 'pill' }, text`Remove`, () => this.#delete(this.chosen))
    this.left = button({ class: 'pill round', 'aria-label': text`Move left` }, drawing('M15 5l-7 7 7 7'),
      () => this.#move(this.chosen, this.chosen - 1))
    this.right = button({ class: 'pill round', 'aria-label': text`Move right` }, drawing('M9 5l7 7-7 7'),
      () => this.#move(this.chosen, this.chosen + 1))
    this.hint = element('p', { class: 'quiet' }, text`Choose one of its points to give it another colour.`)
    this.node = element('div', { class: 'range' },
      element('div', { class: 'label' }, text`Gradient`, this.words), this.strip,
      element('div', { class: 'actions' }, this.add, this.remove, this.left, this.right), this.hint)
    this.#followFinger()
  }

  paint({ gradient, mode, state }) {
    // The lamp may be another one now, by the same name.
    this.node.hidden = !gradient
    const { points, most, mode: arrangement } = gradient ?? { points: [], most: 0, mode: null }
    if (this.chosen >= points.length) this.chosen = null
    const isShown = mode === 'gradient' && state === 'on'
    const colors = points.map(({ hue, saturation }) => css(hue, saturation))
    setText(this.words, isShown ? text`${points.length} of ${most} colours` : '')
    setAttribute(this.strip, 'data-shown', isShown)
    setAttribute(this.strip, 'data-mode', arrangement)
    setStyle(this.strip, '--strip', drawn(colors, arrangement))
    while (this.#handles.length < points.length) this.#addHandle()
    while (this.#handles.length > points.length) this.#handles.pop().remove()
    this.#handles.forEach((handle, index) => {
      const isChosen = index === this.chosen
      setAttribute(handle, 'aria-label', this.#label(index))
      setAttribute(handle, 'aria-pressed', String(isChosen))
      setStyle(handle, '--glow', colors[index])
      setStyle(handle, 'translate', isChosen ? `${100 * this.#offset}%` : 'none')
    })
    const isOff = (button, off) => setAttribute(button, 'aria-disabled', off ? 'true' : null)
    const nothing = this.chosen === null
    this.hint.hidden = !nothing
    setAttribute(this.remove, 'aria-label', nothing ? null : text`Remove colour ${this.chosen + 1}`)
    isOff(this.add, points.length >= most)
    isOff(this.remove, nothing || points.length === 2)
    isOff(this.left, nothing || this.chosen === 0)
    isOff(this.right, nothing || this.chosen === points.length - 1)
  }

  /** Gives the chosen point another colour. */
  setColor(hue, saturation) {
    this.#lamp.setGradient(this.#points.map((point, index) => index === this.chosen ? { hue, saturation } : point))
  }

  get #points() { return this.#lamp.shown.gradient?.points ?? [] }

  /** "Colour 2 of 3: cyan"; the name of a colour that was just set is not known yet. */
  #label(index) {
    if (index === null) return ''
    const points = this.#points
    return [text`Colour ${index + 1} of ${points.length}`, points[index].name].filter(Boolean).join(': ')
  }

  // MARK: Points

  #addHandle() {
    const index = this.#handles.length
    const handle = element('button', {
      class: 'point', type: 'button', 'aria-keyshortcuts': 'ArrowLeft ArrowRight Delete',
      // A screen reader clicks without a pointer, and so without a count.
      click: ({ detail }) => { if (detail === 0 || !this.#wasDrag()) this.#choose(index) },
      keydown: (event) => this.#press(event, index)
    }, element('i', { class: 'thumb' }))
    this.#handles.push(handle)
    this.points.append(handle)
  }

  #choose(index) {
    this.chosen = this.chosen === index ? null : index
    this.#lamp.paint()
  }

  /** One step to undo. */
  #change(points, chosen) {
    if (!page.isConnected) return
    this.#lamp.touch()
    this.chosen = chosen
    this.#lamp.setGradient(points)
    this.#lamp.leave()
  }

  #move(from, to) {
    if (to >= 0 && to < this.#points.length) this.#change(moved(this.#points, from, to), to)
  }

  /** Between the chosen point and the next one: what is there already changes least. */
  #insert() {
    const points = [...this.#points]
    const before = Math.min(this.chosen ?? points.length, points.length - 2)
    points.splice(before + 1, 0, middle(points[before], points[before + 1]))
    this.#change(points, before + 1)
  }

  #delete(index) {
    const points = this.#points.filter((_, place) => place !== index)
    if (points.length >= 2) this.#change(points, Math.min(index, points.length - 1))
  }

  #press(event, index) {
    const { key, altKey, ctrlKey, metaKey } = event
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key]
    if (altKey || ctrlKey || metaKey || !page.isConnected) return
    if (by !== undefined) this.#move(index, index + by)
    else if (key === 'Delete' || key === 'Backspace') this.#delete(index)
    else return
    event.preventDefault()
    if (this.chosen !== null) this.#handles[this.chosen].focus()
  }

  #followFinger() {
    const lamp = this.#lamp
    let from = -1
    this.points.addEventListener('pointerdown', ({ target }) => {
      from = this.#handles.indexOf(target.closest('.point'))
    })
    this.#wasDrag = followDrag(this.points, {
      canDrag: () => page.isConnected && from >= 0,
      start: () => {
        lamp.touch()
        this.chosen = from
        this.strip.classList.add('dragged')
      },
      move: (share) => {
        // Another app may have left fewer points.
        if (this.chosen === null) return
        const points = this.#points
        const place = Math.min(points.length - 1, Math.floor(share * points.length))
        const before = this.chosen
        this.#offset = share * points.length - place - 0.5
        this.chosen = place
        if (place === before) lamp.paint()
        else lamp.setGradient(moved(points, before, place))
      },
      end: () => {
        this.#offset = 0
        this.strip.classList.remove('dragged')
        lamp.paint()
        lamp.leave()
      }
    })
  }
}

function moved(points, from, to) {
  const order = [...points]
  order.splice(to, 0, ...order.splice(from, 1))
  return order
}

/** Halfway around the colour circle from one to the other, the short way. */
function middle(one, other) {
  const apart = (other.hue - one.hue + 540) % 360 - 180
  const whole = (value) => Math.round(value * 100) / 100
  return { hue: whole((one.hue + apart / 2 + 360) % 360), saturation: whole((one.saturation + other.saturation) / 2) }
}

/** How many pixels are drawn of a strip whose pixels each show one of its points. */
const pixels = 30

/** How a strip shows these colours, as a background. Each point lies in the middle of its place. */
function drawn(colors, mode) {
  const share = (place, count) => `${Math.round(1000 * place / count) / 10}%`
  const smooth = (colors) => colors.map((color, place) => `${color} ${share(place + 0.5, colors.length)}`)
  const hard = (colors) => colors.map((color, place) =>
    `${color} ${share(place, colors.length)} ${share(place + 1, colors.length)}`)
  // Without order, and the same whenever it is drawn.
  const mixed = () => Array.from({ length: pixels }, (_, place) =>
    colors[Math.floor(10_000 * Math.abs(Math.sin(place + 1))) % colors.length])
  const stops = {
    mirrored: () => smooth([...colors].reverse().concat(colors)),
    segmented: () => hard(colors),
    random: () => hard(mixed())
  }[mode] ?? (() => smooth(colors))
  return `linear-gradient(to right, ${stops().join(', ')})`
}
