/**
 * Sends values as a finger moves: one request at a time, none sooner than `pace` milliseconds after the one before. The
 * newest value wins, and the last one is always sent.
 */
export class Sender {
  /** Least milliseconds between two requests. */
  pace = 100
  #send
  #settled
  #pending = new Map()
  #sending = false
  #timer = null
  #lastSent = -Infinity
  #count = 0
  /** Called when all is answered. */
  #waiting = []

  /**
   * `send(values)` returns a promise. `settled(failure, count)` is called when nothing is left to send, with what went
   * wrong with the last value, if anything, and how many requests it has been.
   */
  constructor(send, settled) {
    this.#send = send
    this.#settled = settled
  }

  get isIdle() { return !this.#sending && this.#timer === null && this.#pending.size === 0 }

  /** Values of one kind replace each other; different kinds are sent one after the other. */
  push(kind, values) {
    this.#pending.set(kind, values)
    this.#next()
  }

  /** Sends at once what waits for its time. Ends when all is answered: what is asked after that comes later. */
  finish() {
    if (this.isIdle) return Promise.resolve()
    clearTimeout(this.#timer)
    this.#timer = null
    return new Promise((done) => {
      this.#waiting.push(done)
      this.#next()
    })
  }

  #next() {
    if (this.#sending || this.#timer !== null) return
    const wait = this.#waiting.length ? 0 : this.#lastSent + this.pace - performance.now()
    if (wait > 0) {
      this.#timer = setTimeout(() => {
        this.#timer = null
        this.#next()
      }, wait)
    } else {
      this.#sendFirst()
    }
  }

  async #sendFirst() {
    const [[kind, values]] = this.#pending
    this.#pending.delete(kind)
    this.#sending = true
    this.#lastSent = performance.now()
    let failure = null
    try {
      await this.#send(values)
      this.#count += 1
    } catch (error) {
      failure = error
    }
    this.#sending = false
    if (this.#pending.size) return this.#next()
    const count = this.#count
    this.#count = 0
    this.#settled(failure, count)
    this.#waiting.splice(0).forEach((done) => done())
  }
}
