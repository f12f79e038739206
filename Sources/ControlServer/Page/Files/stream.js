import { failureOf, giveUpRequests, request } from './api.js'
import { openEvents, takeFirstEvents } from './events.js'
import { page } from './page.js'

/** lightd sends something at least every 15 s. After this long in silence the connection is dead. */
const longestSilence = 40_000
/** A hidden page gives its connection back after this long: browsers allow six for each address. */
const hiddenFor = 60_000
/** One that was opened in the background and never seen, after this long. */
const unseenFor = 5000
/** An attempt that has had no answer for this long is given up. */
const longestAttempt = 10_000
const pauses = [300, 1000, 2000, 4000, 8000, 15_000]

/** The page could not show what lightd sent. */
export class Defect extends Error {}

function hand(work) {
  try {
    work()
  } catch (cause) {
    throw new Defect(`the page cannot show it: ${cause.message}`, { cause })
  }
}

/**
 * Follows the events of the page, and reconnects by itself. `fetch` and not `EventSource`, which can tell neither a
 * sign-out from a lost daemon nor a dead connection from a silent one.
 */
export class Stream {
  #handler
  #lastID = null
  #isRunning = false
  /** Those who ran before the last `stop` end when they notice that it has changed. */
  #run = 0
  #connection = null
  #isAnswered = false
  /** `false` from a defect on until the page shows something. */
  #isShown = true
  #heardAt = 0
  #wake = () => {}
  #hiding = null
  #isSeen = false

  /**
   * The handler has `event(name, data)`, `connected(version)` of the page's files, `signedOut()`, and `lost(failure)`,
   * which is called for each attempt. After a `Defect` it is connected when an event was shown.
   */
  constructor(handler) {
    this.#handler = handler
    addEventListener('online', () => this.retry())
    // Without a network, a connection looks alive until it has been silent for too long.
    addEventListener('offline', () => this.#connection?.abort())
    document.addEventListener('visibilitychange', () => {
      this.#noteVisibility()
      if (!document.hidden) this.retry()
    })
    this.#noteVisibility()
  }

  #noteVisibility() {
    clearTimeout(this.#hiding)
    this.#isSeen ||= !document.hidden
    if (!document.hidden) return
    this.#hiding = setTimeout(() => this.#connection?.abort(), this.#isSeen ? hiddenFor : unseenFor)
  }

  start() {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#keepFollowing(this.#run)
  }

  stop() {
    this.#isRunning = false
    this.#run += 1
    this.#lastID = null
    this.#isShown = true
    this.#connection?.abort()
    this.#wake()
  }

  /** Does not wait for the next attempt, nor for one without an answer, nor for a connection that is likely dead. */
  retry() {
    // By the wall clock: others stand still while a laptop sleeps.
    if (!this.#isAnswered || Date.now() - this.#heardAt > longestSilence / 2) this.#connection?.abort()
    this.#wake()
  }

  async #keepFollowing(run) {
    for (let attempt = 0; run === this.#run; attempt += 1) {
      let failure = null
      let wasConnected = false
      try {
        await this.#follow(() => { wasConnected = true })
      } catch (error) {
        failure = error
      }
      if (run !== this.#run) return
      // What cannot be shown would be asked for as fast as lightd answers, for ever.
      if (failure instanceof Defect) this.#isShown = false
      else if (wasConnected) attempt = 0
      try {
        this.#handler.lost(failure)
      } catch (error) {
        console.error(error)
      }
      // Spread, so that the pages of a house do not all come back in the same moment.
      const pause = pauses[Math.min(attempt, pauses.length - 1)] * (0.8 + 0.4 * Math.random())
      await new Promise((resume) => {
        this.#wake = () => resume(null)
        if (!document.hidden) setTimeout(resume, pause)
      })
    }
  }

  async #follow(connected) {
    const connection = this.#connection = new AbortController()
    this.#isAnswered = false
    let silence = setTimeout(() => connection.abort(), longestAttempt)
    const heard = () => {
      clearTimeout(silence)
      this.#heardAt = Date.now()
      silence = setTimeout(() => {
        giveUpRequests()
        connection.abort()
      }, longestSilence)
    }
    try {
      const { signal } = connection
      const response = await (takeFirstEvents(signal) ??
        openEvents('/v1/page/events', { signal, lastID: this.#lastID }))
      // A 403 has another reason.
      if (response.status === 401) {
        this.stop()
        return this.#handler.signedOut()
      }
      if (!response.ok) throw await failureOf(response)
      this.#isAnswered = true
      heard()
      const tell = () => {
        this.#isShown = true
        connected()
        hand(() => this.#handler.connected(response.headers.get('X-Lightd-Page')))
      }
      if (this.#isShown) tell()
      await readEvents(response, (name, data, id) => {
        // First told, then remembered: an event that could not be shown is asked for again.
        hand(() => this.#handler.event(name, JSON.parse(data)))
        this.#lastID = id ?? this.#lastID
        if (!this.#isShown) tell()
      }, heard)
    } finally {
      clearTimeout(silence)
      connection.abort()
    }
  }
}

/**
 * Calls `take(name, data)` for each event of what is read beside the page, until the page's connection ends or `closed`
 * is aborted. `whole`: the name of the event that has all of it.
 */
export async function followEvents(path, whole, closed, take) {
  const { connection } = page
  // The page itself says that lightd is away.
  if (connection.aborted || closed.aborted) return
  const following = new AbortController()
  const { signal } = following
  for (const end of [connection, closed]) end.addEventListener('abort', () => following.abort(), { signal })
  try {
    const response = await openEvents(path, { signal })
    // Too many streams may be open: then it is read once, and again a little later. Or that says what is wrong.
    if (!response.ok) return take(whole, await request('GET', path, undefined, { signal }))
    await readEvents(response, (name, data) => take(name, JSON.parse(data)))
  } finally {
    following.abort()
  }
}

/** Calls `output(name, data, id)` for each event of an answer, and `heard` for whatever comes, until it ends. */
export async function readEvents(response, output, heard = () => {}) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const parse = createParser(output)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    heard()
    parse(value)
  }
}

/** Takes text as it comes and calls back with each event that is whole. */
function createParser(output) {
  let rest = ''
  let [name, data, id] = ['message', [], null]
  return (text) => {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()
    for (const line of lines) {
      if (line === '') {
        if (data.length) output(name, data.join('\n'), id);
        [name, data, id] = ['message', [], null]
        continue
      }
      const [, field, value] = line.match(/^([^:]*):? ?(.*)$/s)
      if (field === 'event') name = value
      else if (field === 'data') data.push(value)
      else if (field === 'id') id = value
    }
  }
}
