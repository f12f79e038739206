import { element, setAttribute, setStyle, setText } from './dom.js'
import { rove } from './gestures.js'
import { page } from './page.js'

// Controls of a value. `lamp`: what has `touch()`, `leave()` and `paint()`, as a `Lamp` has.

/** The background of a track with these colours. */
export const gradient = (colors) => `linear-gradient(to right, ${colors.join(', ')})`

let choices = 0

/** One of several: the browser's own radio buttons, with their keys. `words`: of a name. */
export function choice(label, names, lamp, choose = (name) => {}, words = (name) => name) {
  choices += 1
  const inputs = names.map((name) => element('input', {
    type: 'radio', name: `choice-${choices}`, value: name, change: () => {
      if (!page.isConnected) return lamp.paint()
      lamp.touch()
      choose(name)
      lamp.leave()
    }
  }))
  const chips = inputs.map((input) =>
    element('label', { class: 'chip' }, input, element('span', {}, words(input.value))))
  return {
    node: element('fieldset', { class: 'choice' }, element('legend', {}, label), ...chips),
    get value() { return inputs.find((input) => input.checked).value },
    /** None is marked if it is none of them. */
    show(name) { inputs.forEach((input) => { input.checked = input.value === name }) }
  }
}

/** Views of one thing, of which one is shown: to look at another changes nothing. */
export function tabs(label, names, words, show) {
  const buttons = names.map((name, index) => element('button', {
    class: 'chip', type: 'button', role: 'tab', 'aria-controls': 'tab-panel', click: () => select(index)
  }, words(name)))
  const select = (index) => {
    buttons.forEach((button, other) => setAttribute(button, 'aria-selected', String(other === index)))
    stop(buttons[index])
    show(names[index])
  }
  const node = element('div', { class: 'tabs', role: 'tablist', 'aria-label': label }, ...buttons)
  const stop = rove(node, (button) => select(buttons.indexOf(button)))
  return { node, select: (name) => select(names.indexOf(name)) }
}

/**
 * Things to pick one of, by their colours: `{ name, glow, label, choose }`. Each is one step to undo; the arrow keys
 * only look.
 */
export function swatches(label, things, lamp) {
  const buttons = things.map(({ name, glow, label, choose }) => {
    const button = element('button', {
      class: 'swatch', type: 'button', title: name, 'aria-label': name, click: () => {
        if (!page.isConnected) return
        lamp.touch()
        choose()
        lamp.leave()
      }
    }, element('i', {}), label ? element('span', {}, label) : null)
    setStyle(button, '--glow', glow)
    return button
  })
  const node = element('div', { class: 'swatches', role: 'group', 'aria-label': label },
    element('h3', {}, label), ...buttons)
  rove(node)
  return {
    node,
    /** Marks those that are shown now. */
    show(isShown) {
      buttons.forEach((button, index) => setAttribute(button, 'aria-pressed', String(isShown(things[index]))))
    }
  }
}

/** The browser's own slider: its keys, its screen reader, its target size. */
export function range(label, least, most, lamp, output) {
  const title = element('span', {}, label)
  const text = element('output', { class: 'quiet' })
  const input = element('input', { type: 'range', min: least, max: most, step: 1, 'aria-label': label })
  let isHeld = false
  const hold = () => {
    if (!page.isConnected) return
    isHeld = true
    lamp.touch()
  }
  const leave = () => {
    if (!isHeld) return
    isHeld = false
    lamp.leave()
  }
  input.addEventListener('pointerdown', hold)
  input.addEventListener('pointerup', leave)
  input.addEventListener('pointercancel', leave)
  // `change` comes once for a drag and once for each key; some browsers send no `pointerup` after a drag.
  input.addEventListener('input', () => {
    if (!isHeld) hold()
    // What cannot be sent is not shown either.
    if (!page.isConnected) return lamp.paint()
    output(Number(input.value))
  })
  input.addEventListener('change', leave)
  return {
    node: element('div', { class: 'range' }, element('div', { class: 'label' }, title, text), input),
    input,
    name(words) {
      setText(title, words)
      setAttribute(input, 'aria-label', words)
    },
    get value() { return Number(input.value) },
    /** `isShown`: the lamp shows this value now, and not only could. */
    show(value, words, isShown, spoken = words) {
      if (value !== null && !isHeld) input.value = value
      setText(text, isShown ? words : '')
      setAttribute(input, 'data-shown', isShown)
      setAttribute(input, 'aria-valuetext', spoken)
    }
  }
}

/**
 * A field to scrub in: one value across, one up. For the keyboard and the screen reader it is two sliders, which are
 * there without being seen.
 */
export function scrubber(name, lamp, across, up, send) {
  const [thumb, output] = [element('i', { class: 'thumb' }), element('output', { class: 'quiet' })]
  const title = element('span', {}, name)
  const values = { x: across.least, y: up.least }
  const hidden = (axis, { label, least, most, text }) => {
    const input = element('input', { class: 'unseen', type: 'range', min: least, max: most, 'aria-label': label })
    input.addEventListener('input', () => {
      if (!page.isConnected) return lamp.paint()
      lamp.touch()
      move({ [axis]: Number(input.value) })
    })
    input.addEventListener('change', () => lamp.leave())
    return { show(value) {
      if (Number(input.value) !== value) input.value = value
      setAttribute(input, 'aria-valuetext', text(value))
    }, input }
  }
  const inputs = { x: hidden('x', across), y: hidden('y', up) }
  const surface = element('div', { class: 'field' }, inputs.x.input, inputs.y.input, thumb)
  let bounds = null

  function place() {
    setStyle(thumb, 'left', `${100 * (values.x - across.least) / (across.most - across.least)}%`)
    setStyle(thumb, 'bottom', `${100 * (values.y - up.least) / (up.most - up.least)}%`)
    inputs.x.show(values.x)
    inputs.y.show(values.y)
  }
  function move(to) {
    const moved = { x: to.x !== undefined && to.x !== values.x, y: to.y !== undefined && to.y !== values.y }
    Object.assign(values, to)
    place()
    if (moved.x || moved.y) send(values.x, values.y, moved)
  }
  const at = ({ clientX, clientY }) => {
    const share = (part, whole) => Math.min(1, Math.max(0, part / whole))
    const value = ({ least, most }, share) => Math.round(least + share * (most - least))
    move({
      x: value(across, share(clientX - bounds.left, bounds.width)),
      y: value(up, share(bounds.bottom - clientY, bounds.height))
    })
  }
  surface.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !page.isConnected) return
    bounds = surface.getBoundingClientRect()
    surface.setPointerCapture(event.pointerId)
    lamp.touch()
    at(event)
  })
  surface.addEventListener('pointermove', (event) => { if (bounds) at(event) })
  const leave = () => {
    if (!bounds) return
    bounds = null
    lamp.leave()
  }
  surface.addEventListener('pointerup', leave)
  surface.addEventListener('pointercancel', leave)
  return {
    node: element('div', { class: 'range' }, element('div', { class: 'label' }, title, output), surface),
    surface,
    /** `across`: of the value across. */
    name(words, across) {
      setText(title, words)
      setAttribute(inputs.x.input, 'aria-label', across)
    },
    /** `isShown`: the lamp shows these values now, and not only could. */
    show(x, y, isShown, glow, words) {
      if (!bounds) Object.assign(values, { x, y })
      place()
      setText(output, isShown ? words : '')
      setAttribute(thumb, 'data-shown', isShown)
      setStyle(thumb, '--glow', glow ?? 'white')
    }
  }
}
