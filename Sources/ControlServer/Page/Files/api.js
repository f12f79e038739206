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

export const headers = { 'X-Lightd-Client': 'page' }

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
  const answer = await response.json().catch(() => null)
  if (response.ok) return answer
  const error = answer?.error
  throw new Failure(error?.message ?? `lightd answered with status ${response.status}`, {
    code: error?.code, hint: error?.hint, status: response.status
  })
}

export const perform = (command, fields = {}, options) =>
  request('POST', '/v1/messages', { command, ...fields }, options)
