import { drawing, element, setAttribute, setText } from './dom.js'
import { openMenu } from './menu.js'
import { openSheet } from './sheet.js'
import { followEvents } from './stream.js'
import { text } from './text.js'
import { everyMinute, withTime } from './times.js'

const day = 86_400_000
/** Of a drawing. Its width is stretched to what there is. */
const [width, height] = [96, 32]

/** All sensors by room, and batteries, the weakest first. They are followed only while the sheet is open. */
export async function openSensors() {
  const gone = new AbortController()
  const content = element('div', { class: 'sensors', 'aria-busy': 'true' }, element('div', { class: 'working' }))
  /** What changes with the time alone. */
  let again = []
  const paintTimes = () => again.forEach((paint) => paint())
  const stop = everyMinute(paintTimes)
  openSheet({
    title: text`Sensors`, back: openMenu, content: [content],
    close: () => {
      stop()
      gone.abort()
    }
  })
  const { signal } = gone
  const show = (model) => {
    again = []
    content.replaceChildren(...parts(model, (paint) => again.push(paint)))
    content.removeAttribute('aria-busy')
    paintTimes()
  }
  while (!signal.aborted) {
    try {
      await followEvents('/v1/page/sensors', 'sensors', signal, (name, data) => { if (name === 'sensors') show(data) })
    } catch (failure) {
      if (signal.aborted) return
      // Else the page itself says that lightd is away, and what was shown stays.
      if (failure.status >= 400 && failure.status < 500) {
        content.replaceChildren(element('p', { role: 'alert' }, failure.words))
        return content.removeAttribute('aria-busy')
      }
    }
    await new Promise((resume) => setTimeout(resume, 1000))
  }
}

function parts({ sensors, batteries }, repeat) {
  if (!sensors.length && !batteries.length) return [element('p', {}, text`There are no sensors yet.`)]
  const rooms = new Map()
  for (const sensor of sensors) rooms.set(sensor.place, [...rooms.get(sensor.place) ?? [], sensor])
  const sections = [...rooms].flatMap(([place, sensors]) => [
    element('h3', { dir: 'auto' }, place ?? text`In no room`),
    element('ul', { class: 'rows' }, ...sensors.map((sensor) => entry(sensor, repeat)))
  ])
  if (!batteries.length) return sections
  return [...sections, element('h3', {}, text`Batteries`), element('ul', { class: 'rows' },
    ...batteries.map(({ title, place, text, low }) => element('li', { class: 'row', 'data-low': low },
      element('div', { class: 'grow' }, element('b', { dir: 'auto' }, title),
        element('p', { class: 'quiet', dir: 'auto' }, place ?? '')),
      element('span', { class: 'reading' }, text))))]
}

function entry({ title, doubt, at, values }, repeat) {
  const timed = (node, words, at) => {
    repeat(() => setText(node, withTime(words, at)))
    return node
  }
  return element('li', { class: 'sensor' }, element('b', { dir: 'auto' }, title),
    doubt ? timed(element('p', { class: 'bad' }), doubt, at) : null,
    ...values.map((value) => element('div', { class: 'value' },
      element('p', {}, element('span', { class: 'quiet' }, value.label),
        timed(element('b', { class: value.curve.length ? 'reading' : '' }), value.text, value.at)),
      value.curve.length || value.spans.length ? picture(value, repeat) : null)))
}

/** The last day: a line, or marks on a band. It ends now. */
function picture({ curve, spans, day: words }, repeat) {
  const svg = drawing('', `0 0 ${width} ${height}`)
  const attributes = {
    preserveAspectRatio: 'none', role: 'img', 'aria-label': words, 'aria-hidden': null,
    class: curve.length ? 'curve' : 'band'
  }
  for (const [name, value] of Object.entries(attributes)) setAttribute(svg, name, value)
  repeat(() => setAttribute(svg.firstChild, 'd', curve.length ? line(curve) : marks(spans)))
  return svg
}

const across = (time) => Math.round(10 * width * Math.max(0, 1 - (Date.now() - time) / day)) / 10

/** Each value holds until the next. */
function line(curve) {
  const values = curve.map(([, value]) => value)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const up = (value) => Math.round(10 * (height - 2 - (height - 4) * (most > least ? (value - least) / (most - least) : 0.5))) / 10
  const steps = curve.map(([time, value], index) => `${index ? 'H' : 'M'}${across(time)}${index ? 'V' : ' '}${up(value)}`)
  return `${steps.join('')}H${width}`
}

/** As wide as they were long, and never too narrow to be seen. */
const marks = (spans) => spans.map(([from, to]) => {
  const [start, end] = [across(from), to === undefined ? width : across(to)]
  return end > 0 ? `M${Math.min(start, width - 1)} 8h${Math.max(1, end - start)}v16h-${Math.max(1, end - start)}z` : ''
}).join('')
