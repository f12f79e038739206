import { kept, texts } from './kept.js'

// What was put away stays so in this browser, until it is about something else, too.

const causes = kept('put-away', texts)

export const isPutAway = (notice) =>
  notice.causes.length > 0 && notice.causes.every((cause) => causes.value.includes(cause))

export const putAway = (notice) => causes.keep([...new Set([...causes.value, ...notice.causes])])

/** What is over is forgotten: if it happens again, it is news. Of a bridge that is lost nobody knows what is over. */
export function forgetOver({ notices, bridges }) {
  if (!causes.value.length || bridges.some(({ state }) => state !== 'connected')) return
  const now = new Set(notices.flatMap(({ causes }) => causes))
  const left = causes.value.filter((cause) => now.has(cause))
  if (left.length < causes.value.length) causes.keep(left)
}
