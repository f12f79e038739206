import { language, text } from './text.js'

// Moments in the reader's own time zone and way of writing the clock; the weekday and the month in the page's language.

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
export const weekday = new Intl.DateTimeFormat(language, { weekday: 'short' })
export const date = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { day: 'numeric', month: 'short' })
const minute = 60_000

/** "16:04" */
export const hour = (moment) => clock.format(new Date(moment)).replace(/\s/g, '\u00a0')

/** "19:42", "Fri 19:42", "12 Nov 19:42". */
export function clockTime(moment, now = Date.now()) {
  const at = new Date(moment)
  const time = hour(at)
  if (at.toDateString() === new Date(now).toDateString()) return time
  // From six days on, a weekday's name could mean two days.
  return now - +at < 6 * 24 * 60 * minute ? `${weekday.format(at)} ${time}` : `${date.format(at)} ${time}`
}

/** "just now", "2 min ago", then the clock. */
export function ago(moment, now = Date.now()) {
  const minutes = Math.floor((now - +new Date(moment)) / minute)
  if (minutes < 1) return text`just now`
  if (minutes < 10) return text`${minutes} min ago`
  return clockTime(moment, now)
}

/** "12 min left"; empty if that time is over. */
export function left(moment, now = Date.now()) {
  const minutes = Math.ceil((+new Date(moment) - now) / minute)
  return minutes < 1 ? '' : minutes < 100 ? text`${minutes} min left` : text`${Math.round(minutes / 60)} h left`
}

/** A text of lightd with its hours, `{06:45}`, as the reader's clocks show them. */
export const withHours = (words) => words.replace(/\{(\d\d):(\d\d)(?::\d\d)?\}/g,
  (_, hours, minutes) => hour(new Date(2000, 0, 1, hours, minutes)))

/** A text of lightd with its moment in words: `{at}` as `ago`, `{clock}` as `clockTime`. */
export function withTime(words, at, now = Date.now()) {
  if (!at) return words
  return words.replace(/\{(at|clock)\}/g, (_, kind) => (kind === 'at' ? ago : clockTime)(at, now))
}

/** A text, and the time at its end. */
export function splitTime(words) {
  const [, before, time = ''] = /^(.*?)\s*(\{(?:at|clock)\})?$/s.exec(words)
  return [before, time]
}

const clocked = new Set()

/** Calls `paint` again as time passes, until the returned function is called. */
export function everyMinute(paint) {
  clocked.add(paint)
  return () => clocked.delete(paint)
}

setInterval(() => {
  if (!document.hidden) clocked.forEach((paint) => paint())
}, 15_000)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) clocked.forEach((paint) => paint())
})
