import { drawing, element, setAttribute, setStyle, setText } from './dom.js'
import { followDrag, stepOf } from './gestures.js'
import { openMore } from './more.js'
import { page } from './page.js'
import { text } from './text.js'
import { everyMinute, splitTime, withTime } from './times.js'

/**
 * A light or a room as a tile that is its own slider. `isWhole`: the slim one above the lamps of its room. `isSlim`: as
 * slim, and says where it is. `tap()`: does what a tap does, and returns whether it has; else the sheet opens.
 * `button`: stands at its beginning. `back`: what the way back from its sheet opens.
 */
export class TileView {
  #isWhole
  #tap
  #back
  #surface = null
  #switch = null
  #leaving = null
  #stop = []

  /**
   * @param {any} lamp
   * @param {boolean} isWhole
   * @param {{ isSlim?: boolean, tap?: () => boolean, button?: HTMLElement, back?: () => void }} options
   */
  constructor(lamp, isWhole = false, { isSlim = false, tap = () => false, button = null, back } = {}) {
    this.lamp = lamp
    this.#isWhole = isWhole
    this.#tap = tap
    this.#back = back
    this.title = element('h3', { class: 'name', dir: 'auto' })
    this.level = element('b', {})
    this.detail = element('small', {})
    this.who = element('span', { dir: 'auto' })
    this.when = element('span', {})
    this.reason = element('p', { class: 'reason' }, this.who, this.when)
    // The label says it in words.
    this.sun = drawing('M12 7a5 5 0 100 10 5 5 0 000-10M12 1v2M12 21v2M1 12h2M21 12h2M4 4l2 2M18 18l2 2M4 20l2-2M18 6l2-2')
    setAttribute(this.sun, 'class', 'sun')
    const value = element('p', { class: 'level' }, this.level, this.detail, this.sun)
    // The labels say what these texts say.
    const place = isSlim && element('span', { class: 'place', dir: 'auto' }, isWhole ? '' : lamp.model.place)
    this.texts = element('div', { class: 'texts', 'aria-hidden': 'true' },
      this.title, place || null, value, this.reason)
    const kind = [isWhole && 'whole', isSlim && 'slim', button && 'folds'].filter(Boolean)
    this.node = element('div', { class: ['tile', ...kind].join(' '), 'data-key': lamp.model.key },
      element('div', { class: 'fill' }), this.texts)
    if (isPlug(lamp.model)) this.node.append(drawing('M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4'))
    if (page.may('change')) this.#addControls()
    else this.#addSurface()
    if (button) this.#surface.after(button)
    this.#stop = [lamp.show(this), everyMinute(() => this.#paintTime(lamp.shown))]
  }

  remove() {
    clearTimeout(this.#leaving)
    this.lamp.leave()
    this.#stop.forEach((stop) => stop())
    this.node.remove()
  }

  paint(shown) {
    const { title, level, state, freshness, glow, valueText } = shown
    const canDim = shown.can.includes('dim') && level !== null
    const name = this.#isWhole ? text`All of ${title}` : title
    setText(this.title, title)
    setText(this.level, shown.levelText)
    setText(this.detail, shown.detail)
    setAttribute(this.sun, 'hidden', !shown.follows || shown.follows.paused)
    this.#paintTime(shown)
    setAttribute(this.node, 'data-state', state)
    setAttribute(this.node, 'data-freshness', freshness)
    setAttribute(this.node, 'data-dims', canDim)
    setAttribute(this.node, 'data-plug', isPlug(shown))
    setAttribute(this.node, 'data-moves', shown.moves && state === 'on')
    setStyle(this.node, '--glow', glow ?? 'var(--line)')
    setStyle(this.node, '--colors', blend(shown.look))
    setStyle(this.node, '--level', String(state === 'on' ? level ?? 1 : 0))
    if (!this.#surface) return
    setAttribute(this.#surface, 'aria-label', canDim ? name : `${name}: ${valueText}`)
    if (canDim) {
      setAttribute(this.#surface, 'role', 'slider')
      setAttribute(this.#surface, 'aria-valuemin', 0)
      setAttribute(this.#surface, 'aria-valuemax', 100)
      setAttribute(this.#surface, 'aria-valuenow', state === 'on' ? Math.round(level * 100) : 0)
      setAttribute(this.#surface, 'aria-valuetext', valueText)
    } else {
      for (const name of ['valuemin', 'valuemax', 'valuenow', 'valuetext']) {
        setAttribute(this.#surface, `aria-${name}`, null)
      }
      setAttribute(this.#surface, 'role', 'button')
    }
    if (!this.#switch) return
    this.#switch.hidden = !shown.can.includes('switch')
    // A switch is on or off. Of what is unknown it is a button: it says what it does.
    const isKnown = state !== 'unknown'
    setAttribute(this.#switch, 'role', isKnown ? 'switch' : null)
    setAttribute(this.#switch, 'aria-checked', isKnown ? String(state === 'on') : null)
    setAttribute(this.#switch, 'aria-label', isKnown ? name : text`Turn on ${name}`)
  }

  #paintTime({ reason }) {
    const [who, when] = splitTime(reason?.text ?? '')
    setText(this.who, withTime(who, reason?.at))
    setText(this.when, withTime(when, reason?.at))
  }

  // MARK: Controls

  /** Opens the sheet: who may only look sees there why the lamp is as it is. */
  #addSurface(isTap = () => true) {
    this.#surface = element('div', { class: 'surface', tabindex: 0, 'aria-haspopup': 'dialog' })
    this.node.append(this.#surface)
    const more = () => { if (page.isConnected) openMore(this.lamp, this.#back) }
    // A screen reader clicks without a pointer, and so without a count.
    this.#surface.addEventListener('click', ({ detail }) => {
      if (detail === 0 || (isTap() && !this.#tap())) more()
    })
    this.#surface.addEventListener('keydown', (event) => this.#press(event, more))
    return more
  }

  #addControls() {
    const { lamp } = this
    const more = this.#addSurface(() => !wasNoTap())
    this.#switch = element('button', { class: 'switch', type: 'button', role: 'switch' }, element('i', {}))
    this.node.append(this.#switch)
    let from = 0
    const wasNoTap = followDrag(this.#surface, {
      canDrag: () => page.isConnected && lamp.can('dim') && lamp.model.level !== null,
      start: () => {
        from = this.#filled
        lamp.touch()
        this.node.classList.add('dragged')
        page.hold()
      },
      // By as much as the finger moves, wherever on the tile it is.
      move: (_, by) => this.#slide(from + by),
      end: () => {
        this.node.classList.remove('dragged')
        lamp.leave()
        page.letGo()
      },
      hold: more
    })
    this.#switch.addEventListener('click', () => { if (page.isConnected) lamp.switch() })
  }

  /** How much of the tile is filled. */
  get #filled() {
    const { level, state } = this.lamp.shown
    return state === 'on' ? level : 0
  }

  #slide(level) {
    // What is off stays so until the finger fills it, and nothing is told of a finger that is where it was.
    if (this.lamp.shown.state !== 'on' && level <= 0) return
    if (Math.round(100 * within(level)) !== Math.round(100 * this.#filled)) this.lamp.setLevel(within(level))
  }

  #press(event, more) {
    const { key, altKey, ctrlKey, metaKey } = event
    if (altKey || ctrlKey || metaKey) return
    const step = stepOf(key)
    if (key === 'Enter' || (key === ' ' && !page.may('change'))) more()
    else if (key === ' ') { if (page.isConnected && !event.repeat && this.lamp.can('switch')) this.lamp.switch() }
    else if (step !== undefined && this.lamp.can('dim')) this.#step(step)
    else return
    event.preventDefault()
  }

  #step(step) {
    if (!page.isConnected || this.lamp.shown.level === null) return
    this.lamp.touch()
    this.lamp.setLevel(within(this.#filled + step))
    // Several presses are one gesture.
    clearTimeout(this.#leaving)
    this.#leaving = setTimeout(() => this.lamp.leave(), 600)
  }
}

/** Down to 1: whoever wants it off has the switch. */
const within = (level) => Math.min(1, Math.max(0.01, level))

/** Or another thing that has no levels: its switch is all there is. */
const isPlug = ({ kind, level }) => kind === 'light' && level === null

/** The colours of a room side by side; one colour, or a browser that cannot tint several, has the tile's own. */
function blend(colors) {
  if (colors.length < 2 || !CSS.supports('color', 'oklch(from red l c h)')) return ''
  const tints = colors.map((color) => `oklch(from color-mix(in oklab, ${color} 90%, #ffc46b) var(--as-tint))`)
  return `linear-gradient(100deg, ${tints.join(', ')})`
}
