import { headers } from './events.js'
import { language, text } from './text.js'

/** What went wrong, in lightd's words. */
export class Failure extends Error {
  /**
   * `parts`: what failed of it, and why. `ticket`: of a command that was carried out in part.
   * @param {string} message
   * @param {{ code?: string, hint?: string, status?: number, parts?: { message: string }[], ticket?: string }} details
   */
  constructor(message, { code = 'internal_error', hint, status = 0, parts = [], ticket } = {}) {
    super(message)
    this.code = code
    this.hint = hint
    this.status = status
    this.parts = parts
    this.ticket = ticket
  }

  /** The whole of it, as one text. */
  get words() {
    const [reason, ...others] = new Set(this.parts.map(({ message }) => message))
    const reasons = reason && `: ${reason}${others.length ? text`, and ${others.length} more` : ''}`
    return [this.message + (reasons ?? ''), this.hint].filter(Boolean)
      .map(sentence).join(' ')
  }
}

/** lightd's words as a sentence of their own. */
export const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1).replace(/[^.!?]$/, '$&.')

/** What to do on a page, where lightd's own hint names a command for a terminal. */
const hints = {
  not_paired: text`Pair a bridge in the menu.`,
  key_refused: text`Pair with it again in the menu.`,
  certificate_refused:
    text`If it was reset, pair with it again in the menu. If another has taken its place, pair with that one.`,
  button_not_pressed: text`Press the round button on it when the page asks for it.`
}

/** lightd words its failures in English, with all that it knows. Readers of another language are told in general. */
const general = language === 'en' ? null : {
  refused: text`The bridge refused it.`, cannot: text`That is not possible.`,
  not_saved: text`lightd could not save it.`, not_paired: text`No bridge is paired.`,
  key_refused: text`The bridge no longer accepts lightd.`,
  button_not_pressed: text`The button was not pressed in time.`,
  certificate_refused: text`The bridge shows a different certificate than when it was paired.`,
  which_bridge: text`Several bridges were found.`, not_allowed: text`You may not do that.`,
  too_many_attempts: text`Too many attempts. Try again later.`, name_taken: text`That name is taken. Choose another.`,
  signed_in: text`This browser is signed in already.`, bridge_unreachable: text`The bridge does not answer.`,
  no_bridge_found: text`No bridge was found.`, daemon_unreachable: text`lightd does not answer.`,
  daemon_stopping: text`lightd is stopping.`, no_such_target: text`It no longer exists.`,
  unconfirmed: text`The lamp did not confirm it. Does it have power?`,
  changed_since: text`Somebody has changed it since.`, partly: text`It worked in part.`,
  invalid: text`That is not possible.`
}
const worded = ({ code, message }) => general ? general[code] ?? text`It did not work.` : message

/**
 * What is for a terminal is left out.
 * @param {{ code?: string, hint?: string }} error
 */
const hintOf = ({ code, hint } = {}) =>
  hints[code] ?? (general ? null : hint)?.split('; ').filter((part) => !part.includes('lightctl')).join('; ')

/** Pairing waits for half a minute. */
const longestWait = 60_000
const underWay = new Set()

/** Whatever is asked now has no answer to wait for: the connection is dead. */
export const giveUpRequests = () => underWay.forEach((giveUp) => giveUp())

/**
 * Asks lightd, and returns its answer. Throws a `Failure`, or an `AbortError` if the caller gave up. A text as `body` is
 * a file of automations.
 * @param {string} method
 * @param {string} path
 * @param {any} body
 * @param {{ signal?: AbortSignal, headers?: Record<string, string> }} options
 */
export async function request(method, path, body = undefined, { signal, headers = {} } = {}) {
  const unanswered = new AbortController()
  const giveUp = () => unanswered.abort(new Failure(text`there was no answer`, {
    code: 'daemon_unreachable', hint: text`what was asked may still be carried out`
  }))
  signal?.throwIfAborted()
  const stop = () => unanswered.abort(signal.reason)
  signal?.addEventListener('abort', stop)
  const limit = setTimeout(giveUp, longestWait)
  underWay.add(giveUp)
  try {
    return await ask(method, path, body, unanswered.signal, headers)
  } finally {
    clearTimeout(limit)
    // It may outlive many requests.
    signal?.removeEventListener('abort', stop)
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
    const answer = await response.text()
    return answer ? JSON.parse(answer) : null
  } catch (error) {
    if (error.name === 'AbortError' || error instanceof Failure) throw error
    throw new Failure(text`lightd does not answer`, {
      code: 'daemon_unreachable', hint: text`try again when the page is connected`
    })
  }
}

/** What an answer that is no success says. */
export async function failureOf(response) {
  const { error } = await response.json().catch(() => null) ?? {}
  return new Failure(error ? worded(error) : text`lightd answered with status ${response.status}`, {
    code: error?.code, hint: hintOf(error), ticket: error?.ticket, status: response.status,
    parts: error?.parts?.map((part) => ({ ...part, message: worded(part) }))
  })
}

export const perform = (command, fields = {}, options) =>
  request('POST', '/v1/messages', { command, ...fields }, options)
