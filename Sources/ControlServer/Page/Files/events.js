// Of its own, because nothing has to be fetched before it: it asks for the lights at once.

/** Of every request of the page. */
export const headers = { 'X-Lightd-Client': 'page' }

/**
 * Asks for a stream of events; `readEvents` reads it.
 * @param {string} path
 * @param {{ signal?: AbortSignal, lastID?: string }} options
 */
export const openEvents = (path, { signal, lastID = null } = {}) => fetch(path, /** @type {RequestInit} */ ({
  signal, cache: 'no-store', credentials: 'same-origin', priority: 'high',
  headers: { ...headers, Accept: 'text/event-stream', ...(lastID === null ? {} : { 'Last-Event-ID': lastID }) }
}))

// The page's first events are asked for at once, while the browser still fetches the other modules. A link signs in
// first.
const early = new AbortController()
let first = location.hash.startsWith('#join=') ? null : openEvents('/v1/page/events', { signal: early.signal })
first?.catch(() => {})  // Told to whoever takes it.

/** The answer to the first request for the page's events, once; then `null`. */
export function takeFirstEvents(signal) {
  const taken = first
  first = null
  if (taken) signal.addEventListener('abort', () => early.abort())
  return taken
}
