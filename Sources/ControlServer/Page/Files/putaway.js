// What was put away stays so in this browser, until it is about something else, too.

const name = 'put-away'

/** Whatever is stored there, by whomever. */
function read() {
  try {
    const stored = JSON.parse(localStorage.getItem(name))
    return new Set(Array.isArray(stored) ? stored.filter((cause) => typeof cause === 'string') : [])
  } catch {
    return new Set()
  }
}

let causes = read()
addEventListener('storage', () => { causes = read() })

function keep(changed) {
  causes = changed
  try {
    localStorage.setItem(name, JSON.stringify([...changed]))
  } catch {
    // Without a place to store it, it is put away until the page is loaded anew.
  }
}

export const isPutAway = (notice) => notice.causes.length > 0 && notice.causes.every((cause) => causes.has(cause))

export const putAway = (notice) => keep(new Set([...causes, ...notice.causes]))

/** What is over is forgotten: if it happens again, it is news. Of a bridge that is lost nobody knows what is over. */
export function forgetOver({ notices, bridges }) {
  if (!causes.size || bridges.some(({ state }) => state !== 'connected')) return
  const now = new Set(notices.flatMap(({ causes }) => causes))
  const left = [...causes].filter((cause) => now.has(cause))
  if (left.length < causes.size) keep(new Set(left))
}
