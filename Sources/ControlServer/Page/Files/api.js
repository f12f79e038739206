/** What went wrong, in lightd's words. */
export class Failure extends Error {
  constructor(message, { code = 'internal_error', hint = null, status = 0 } = {}) {
    super(message)
    Object.assign(this, { code, hint, status })
  }

  /** The whole of it, as one text. */
  get words() {
    return [this.message, this.hint].filter(Boolean)
      .map((text) => text.charAt(0).toUpperCase() + text.slice(1).replace(/[^.!?]$/, '$&.')).join(' ')
  }
}

const headers = { 'X-Lightd-Client': 'page' }

/** Asks for a stream of events; `readEvents` reads it. */
export const openEvents = (path, { signal, lastID = null } = {}) => fetch(path, {
  signal, cache: 'no-store', credentials: 'same-origin', priority: 'high',
  headers: { ...headers, Accept: 'text/event-stream', ...(lastID === null ? {} : { 'Last-Event-ID': lastID }) }
})

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

/** Asks lightd, and returns its answer. Throws a `Failure`, or an `AbortError` if the caller gave up. */
export async function request(method, path, body, { signal } = {}) {
  let response
  try {
    response = await fetch(path, {
      method, signal, cache: 'no-store', credentials: 'same-origin',
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body)
    })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Failure('lightd does not answer', {
      code: 'daemon_unreachable', hint: 'try again when the page is connected'
    })
  }
  if (!response.ok) throw await failureOf(response)
  return response.json().catch(() => null)
}

/** What an answer that is no success says. */
async function failureOf(response) {
  const { error } = await response.json().catch(() => null) ?? {}
  return new Failure(error?.message ?? `lightd answered with status ${response.status}`, {
    code: error?.code, hint: error?.hint, status: response.status
  })
}

export const perform = (command, fields = {}, options) =>
  request('POST', '/v1/messages', { command, ...fields }, options)
