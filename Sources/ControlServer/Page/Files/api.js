/** What went wrong, in lightd's words. */
export class Failure extends Error {
  /** `parts`: what failed of it, and why. `ticket`: of a command that was carried out in part. */
  constructor(message, { code = 'internal_error', hint = null, status = 0, parts = [], ticket = null } = {}) {
    super(message)
    Object.assign(this, { code, hint, status, parts, ticket })
  }

  /** The whole of it, as one text. */
  get words() {
    const [reason, ...others] = new Set(this.parts.map(({ message }) => message))
    const reasons = reason && `: ${reason}${others.length ? `, and ${others.length} more` : ''}`
    return [this.message + (reasons ?? ''), this.hint].filter(Boolean)
      .map(sentence).join(' ')
  }
}

/** lightd's words as a sentence of their own. */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1).replace(/[^.!?]$/, '$&.')

/** What to do on a page, where lightd's own hint names a command for a terminal. */
const hints = {
  not_paired: 'Pair a bridge in the menu.',
  key_refused: 'Pair with it again in the menu.',
  certificate_refused: 'If it was reset, pair with it again in the menu. If another has taken its place, pair with that one.',
  button_not_pressed: 'Press the round button on it when the page asks for it.'
}

/** What is for a terminal is left out. */
const hintOf = ({ code, hint } = {}) =>
  hints[code] ?? hint?.split('; ').filter((part) => !part.includes('lightctl')).join('; ')

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

/** Pairing waits for half a minute. */
const longestWait = 60_000
const underWay = new Set()

/** Whatever is asked now has no answer to wait for: the connection is dead. */
export const giveUpRequests = () => underWay.forEach((giveUp) => giveUp())

/**
 * Asks lightd, and returns its answer. Throws a `Failure`, or an `AbortError` if the caller gave up. A text as `body` is
 * a file of automations.
 */
export async function request(method, path, body, { signal, headers = {} } = {}) {
  const unanswered = new AbortController()
  const giveUp = () => unanswered.abort(new Failure('there was no answer', {
    code: 'daemon_unreachable', hint: 'what was asked may still be carried out'
  }))
  signal?.throwIfAborted()
  signal?.addEventListener('abort', () => unanswered.abort(signal.reason))
  const limit = setTimeout(giveUp, longestWait)
  underWay.add(giveUp)
  try {
    return await ask(method, path, body, unanswered.signal, headers)
  } finally {
    clearTimeout(limit)
    underWay.delete(giveUp)
  }
}

async function ask(method, path, body, signal, conditions) {
  const isFile = typeof body === 'string'
  try {
    const response = await fetch(path, {
      method, signal, cache: 'no-store', credentials: 'same-origin',
      headers: {
        ...headers, ...conditions,
        ...(body === undefined ? {} : { 'Content-Type': `application/${isFile ? 'yaml' : 'json'}` })
      },
      body: body === undefined || isFile ? body : JSON.stringify(body)
    })
    if (!response.ok) throw await failureOf(response)
    const text = await response.text()
    return text ? JSON.parse(text) : null
  } catch (error) {
    if (error.name === 'AbortError' || error instanceof Failure) throw error
    throw new Failure('lightd does not answer', {
      code: 'daemon_unreachable', hint: 'try again when the page is connected'
    })
  }
}

/** What an answer that is no success says. */
export async function failureOf(response) {
  const { error } = await response.json().catch(() => null) ?? {}
  return new Failure(error?.message ?? `lightd answered with status ${response.status}`, {
    code: error?.code, hint: hintOf(error), parts: error?.parts, ticket: error?.ticket, status: response.status
  })
}

export const perform = (command, fields = {}, options) =>
  request('POST', '/v1/messages', { command, ...fields }, options)
