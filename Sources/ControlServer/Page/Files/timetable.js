import { lazily } from './act.js'
import { byID, element, setChildren, setStyle, setText } from './dom.js'
import { page } from './page.js'
import { text } from './text.js'
import { date, everyMinute, hour, weekday, withHours, withTime } from './times.js'

// What comes next, at the head of the home. lightd says when; how long it is until then is worded here.

const [minute, day] = [60_000, 86_400_000]
const most = 4

/** Days of the calendar from today on: 0 is today. */
export function daysUntil(moment, now = Date.now()) {
  const [at, today] = [new Date(moment), new Date(now)].map((time) => +time.setHours(0, 0, 0, 0))
  return Math.round((at - today) / day)
}

/** "16:04", "Fri 06:30", "24 Dec 06:30". */
function due(moment, now = Date.now()) {
  const at = new Date(moment)
  const days = daysUntil(moment, now)
  if (days === 0) return hour(at)
  return `${(days > 0 && days < 7 ? weekday : date).format(at)} ${hour(at)}`
}

/** What lightd says of the time to come, or of an automation, with its hours and its moment in words. */
export const withDue = (words, at) => withHours(withTime(at ? words.replace(/\{due\}/g, due(at)) : words, at))

/** "7 min" is left of what runs; else the time at which it comes. Empty if nobody knows. */
export function when({ since, at }, now = Date.now()) {
  if (!at) return ''
  if (!since) return due(at, now)
  const minutes = Math.max(1, Math.ceil((+new Date(at) - now) / minute))
  return minutes < 100 ? text`${minutes} min` : text`${Math.round(minutes / 60)} h`
}

/** Of the time that something takes, the part that is left; it says no more than the words beside it. */
export const ring = () => element('i', { class: 'ring', 'aria-hidden': 'true' })

export function paintRing(node, { since, at }, now = Date.now()) {
  node.hidden = !since || !at
  if (node.hidden) return
  const [start, end] = [since, at].map((moment) => Date.parse(moment))
  setStyle(node, '--left', Math.min(1, Math.max(0, (end - now) / (end - start))).toFixed(3))
}

/** What is shown of the time to come: what runs, and what comes today or tomorrow. */
export const soon = (frame) => (frame?.upcoming ?? [])
  .filter(({ kind, since, at }) => kind !== 'next' && (since || !at || kind !== 'timer') || daysUntil(at) <= 1)

const openUpcoming = lazily(() => import('./upcoming.js'), 'openUpcoming')
byID('upcoming').addEventListener('click', () => openUpcoming())
const shown = new Map()

/** One button, whatever it shows: nothing can be stopped here by accident. */
export function paintTimetable(frame) {
  const items = soon(frame).filter(({ skipped }) => !skipped).slice(0, most)
  for (const id of shown.keys()) if (!items.some((item) => item.id === id)) shown.delete(id)
  setChildren(byID('upcoming'), items.map((item) => {
    if (!shown.has(item.id)) {
      // The comma is for those who hear it.
      shown.set(item.id, element('span', {},
        element('b', {}, ring(), element('span', {})), element('small', { dir: 'auto' }),
        element('span', { class: 'unseen' }, ', ')))
    }
    const node = shown.get(item.id)
    const [time, title] = node.children
    paintRing(time.firstChild, item)
    setText(time.lastChild, when(item) || text`Now`)
    setText(title, withDue(item.title, item.at))
    return node
  }))
  byID('upcoming').hidden = !items.length
}

everyMinute(() => { if (page.frame) paintTimetable(page.frame) })
