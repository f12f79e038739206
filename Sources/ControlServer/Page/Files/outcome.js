import { request } from './api.js'
import { element } from './dom.js'
import { counted, isolated, text } from './text.js'
import { clockTime } from './times.js'

/** What a form does that makes no automation; else `null`. */
export const commandOf = ({ bind = null, away = null }) =>
  bind ? { command: 'bind', ...bind } : away ? { command: 'away', to: 'on', ...away } : null

/** What a form would do, in sight while it is filled in: `{node, show(model), stop()}`. */
export function outcome() {
  const node = element('div', { class: 'outcome', role: 'status' })
  let looking = null
  let shown = null
  const stop = () => {
    looking?.abort()
    shown = null
  }

  async function show({ file, away, next, yesterday }) {
    const mark = JSON.stringify([file, away, next])
    if (mark === shown) return
    stop()
    shown = mark
    looking = new AbortController()
    const { signal } = looking
    try {
      const content = next.length ? [times(next)] : yesterday ? await past(file, yesterday, signal)
        : away ? await plan(commandOf({ away }), signal) : []
      if (!signal.aborted) node.replaceChildren(...content)
    } catch (failure) {
      if (failure.name === 'AbortError') return
      node.replaceChildren(element('p', { dir: 'auto' }, failure.words ?? failure.message))
    }
  }
  return { node, show, stop }
}

const times = ([first, ...others]) => {
  const later = others.map((time) => clockTime(time)).join(', ')
  return element('p', {}, element('b', {}, text`Next: ${clockTime(first)}`), ' ',
    later ? element('span', { class: 'quiet' }, text`then ${later}`) : null)
}

/** Yesterday with this automation, by the journal. */
async function past(file, { since, until }, signal) {
  const query = new URLSearchParams({ since, until })
  const { runs, notes } = await request('POST', `/v1/automations/simulation?${query}`, file, { signal })
  const began = runs.filter(({ reason }) => reason)
  const count = began.length
  const words = count
    ? counted(count, text`Yesterday it would have run once.`, text`Yesterday it would have run ${count} times.`)
    : notes.length ? text`Too little is known of yesterday to say what it would have done.`
      : text`Yesterday it would not have run.`
  const picture = count ? [band(began, Date.parse(since), Date.parse(until))] : []
  return [element('p', {}, element('b', {}, words)), ...picture]
}

/** The lit times of a day, on the dark that light was made for. */
function band(runs, start, end) {
  const at = (time) => 100 * (Date.parse(time) - start) / (end - start)
  const bars = runs.map(({ time, commands }) => {
    const bar = element('i')
    bar.style.insetInlineStart = `${at(time)}%`
    bar.style.inlineSize = `${Math.max(0, at(commands.at(-1)?.time ?? time) - at(time))}%`
    return bar
  })
  const label = runs.map(({ at }) => at).join(', ')
  const hours = [0, 6, 12, 18, 24].map((hour) => element('span', {}, String(hour)))
  return element('div', {}, element('div', { class: 'band', role: 'img', 'aria-label': label }, ...bars),
    element('div', { class: 'hours', 'aria-hidden': 'true' }, ...hours))
}

/** What being away would play until tomorrow. */
async function plan(command, signal) {
  const { away } = await request('POST', '/v1/messages', { ...command, to: 'plan' }, { signal })
  const lit = away.plan.filter(({ power }) => power === 'on')
  if (!lit.length) return [element('p', {}, text`Nothing comes on until tomorrow night.`)]
  const [name, time] = [isolated(lit[0].name), clockTime(lit[0].at)]
  return [element('p', { dir: 'auto' }, counted(lit.length,
    text`A lamp comes on once until tomorrow night: ${name}, ${time}.`,
    text`Lamps come on ${lit.length} times until tomorrow night, first ${name}, ${time}.`))]
}
