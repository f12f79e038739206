import { perform } from './api.js'
import { page } from './page.js'
import { Sender } from './sender.js'
import { directed, text } from './text.js'
import { showFailure, showUndo } from './toast.js'

/** How long a value that was answered but not confirmed stands against what lightd reports. */
const patience = 2000

/** What ends an effect, in place of another. */
export const noEffect = 'none'

/**
 * What one tile shows, on however many places of the page: lightd's newest report, and over it what was set here and
 * is not confirmed yet.
 */
export class Lamp {
  /** When this page last changed it: its own changes are not announced. */
  changedAt = -Infinity
  #views = new Set()
  #own = null
  #isTouched = false
  #waiting = null
  #sender
  /** Names the gesture under way: lightd undoes its commands in one step. */
  #gesture = null
  /** Of the gesture's newest command: all of them are undone by it. */
  #ticket = null
  /** Whether the gesture has changed anything, and in words. */
  #isDone = false
  #words = ''
  #hasFailed = false

  constructor(model) {
    this.model = model
    this.#sender = new Sender(
      async (values) => {
        const reply = await perform('set', { target: this.model.target, gesture: this.#gesture, ...values })
        this.#ticket = reply?.ticket
      },
      (failure, count) => this.#settled(failure, count))
    this.#sender.pace = model.pace
  }

  get shown() { return this.#own ? { ...this.model, ...this.#own } : this.model }

  can(ability) { return this.model.can.includes(ability) }

  /** Shows it in a view, until the returned function is called. */
  show(view) {
    this.#views.add(view)
    view.paint(this.shown)
    return () => this.#views.delete(view)
  }

  report(model) {
    this.model = model
    this.#sender.pace = model.pace
    if (this.#waiting !== null && this.#isConfirmed) this.#release()
    else this.paint()
  }

  paint() { this.#views.forEach((view) => view.paint(this.shown)) }

  // MARK: Gestures

  /** A finger or a key is on it: until `leave`, no report moves what it sets. */
  touch() {
    this.#isTouched = true
    this.#gesture ??= newGesture()
    clearTimeout(this.#waiting)
    this.#waiting = null
  }

  leave() {
    this.#isTouched = false
    this.#endGesture()
  }

  /** 0…1. */
  setLevel(level) {
    const percent = Math.round(level * 100)
    if (this.#own?.level === percent / 100) return
    const keep = this.#isLight ? {} : { keep_ratios: true }
    this.#set('level', { brightness: percent, ...keep }, text`set to ${percent}%`, {
      level: percent / 100, levelText: text`${percent}%`, valueText: text`${percent} percent`
    })
  }

  /** Mirek. */
  setWhite(mirek) {
    const white = { ...this.model.white, mirek }
    this.#set('tone', { temperature: mirek }, text`set to ${kelvin(mirek)}`, {
      white, mode: 'white', glow: glowOf(white), look: [], detail: this.#isLight ? kelvin(mirek) : this.model.detail,
      ...this.#resting
    })
  }

  /** Degrees, and per cent. */
  setColor(hue, saturation) {
    this.#set('tone', { hue, saturation }, text`set to another colour`, {
      color: { hue, saturation }, mode: 'color', glow: css(hue, saturation), look: [],
      // lightd knows the colour's name.
      detail: this.#isLight ? '' : this.model.detail, ...this.#resting
    })
  }

  /** Points from one end of the strip to the other, in degrees and per cent. */
  setGradient(points, mode = this.shown.gradient.mode) {
    const look = points.map(({ hue, saturation }) => css(hue, saturation))
    const gradient = points.map(({ hue, saturation }) => `hsb(${hue},${saturation}%,100%)`)
    // Without a mode, the strip keeps its own.
    this.#set('tone', { gradient, ...(mode === null ? {} : { gradient_mode: mode }) }, text`set to several colours`, {
      gradient: { ...this.model.gradient, points, mode }, mode: 'gradient', glow: look[0], look, detail: '',
      ...this.#resting
    })
  }

  /**
   * Begins one of the lamp's effects, or ends what runs. Per cent; `null` leaves the speed to the lamp. Minutes; `null`
   * for what does not come to an end by itself. `words`: its name for people.
   */
  setEffect(name, speed = null, minutes = null, words = name) {
    const isEnd = name === noEffect
    const fields = { effect: name, effect_speed: speed, effect_duration: minutes && minutes * 60_000 }
    const until = minutes && new Date(Date.now() + minutes * 60_000).toISOString()
    const said = isEnd ? text`runs no effect any more`
      : minutes ? text`runs ${words} over ${minutes} min` : text`runs ${words}`
    this.#set('tone', fields, said, {
      effects: { ...this.model.effects, running: name, speed, until }, moves: !isEnd, detail: isEnd ? '' : words
    })
  }

  /** Ends when lightd has answered all that was set here. */
  finish() { return this.#sender.finish() }

  /** Something else was commanded since: what lightd reports is newer than what was set here. */
  giveWay() { if (this.#waiting !== null) this.#release() }

  async switch(to = this.shown.state === 'on' ? 'off' : 'on') {
    const isOn = to === 'on'
    this.#noteChange()
    page.giveWay()
    this.touch()
    this.#hasFailed = false
    const level = this.model.level === null ? text`On` : text`${Math.round(this.model.level * 100)}%`
    const levelText = isOn ? level : text`Off`
    // Of one whose bridge is known to be lost only the attempt is shown: it will hardly be heard.
    const isLost = this.model.state === 'unknown' && this.model.freshness === 'stale'
    this.#own = isLost ? { freshness: 'expected' }
      : { state: to, partly: false, freshness: 'expected', levelText, valueText: levelText }
    this.paint()
    try {
      await page.finish()
      const reply = await perform('turn', { to, target: this.model.target })
      this.#ticket = reply?.ticket
      this.#isDone = true
      this.#words = isOn ? text`turned on` : text`turned off`
    } catch (failure) {
      this.#hasFailed = true
      showFailure(failure)
    }
    this.leave()
  }

  /** A colour, a white tone or a gradient ends what runs. */
  get #resting() {
    const { effects } = this.model
    return { moves: false, effects: effects && { ...effects, running: noEffect, speed: null, until: null } }
  }

  get #isLight() { return this.model.kind === 'light' }

  #noteChange() {
    this.changedAt = performance.now()
    if (!this.#isLight) page.changedAt = this.changedAt
  }

  #set(kind, values, words, own) {
    this.#noteChange()
    if (!this.#own) page.giveWay()
    this.#hasFailed = false
    this.#words = words
    this.#own = { ...this.#own, state: 'on', freshness: 'expected', ...own }
    // First sent, then painted.
    this.#sender.push(kind, values)
    this.paint()
  }

  #settled(failure, count) {
    this.#noteChange()
    this.#isDone ||= count > 0
    if (failure) {
      this.#hasFailed = true
      showFailure(failure)
    }
    this.#endGesture()
  }

  /** When the finger is off and everything is answered. */
  #endGesture() {
    if (this.#isTouched || !this.#sender.isIdle || !this.#own) return
    if (this.#isDone && !this.#hasFailed) showUndo(text`${directed(this.model.title)} ${this.#words}`, this.#ticket)
    this.#isDone = false
    this.#gesture = null
    if (this.#hasFailed || this.#isConfirmed) return this.#release()
    clearTimeout(this.#waiting)
    this.#waiting = setTimeout(() => this.#release(), patience)
  }

  /** Whether lightd reports what was set here. */
  get #isConfirmed() {
    const { state, freshness, level, mode, effects } = this.model
    const own = this.#own
    if (freshness !== 'confirmed' || state !== own.state) return false
    // The lights of a room may each show something else.
    if (this.#isLight && own.mode !== undefined && own.mode !== mode) return false
    if (own.effects && own.effects.running !== effects?.running) return false
    return own.level === undefined || Math.abs(own.level - level) < 0.015
  }

  #release() {
    clearTimeout(this.#waiting)
    this.#waiting = null
    this.#own = null
    this.#hasFailed = false
    this.paint()
  }
}

const newGesture = () => Math.random().toString(36).slice(2)

/** A colour of full brightness, as CSS writes it. */
export const css = (hue, saturation) => `hsl(${hue} 100% ${100 - saturation / 2}%)`

/** A white of full brightness, from the lamp's own range. */
export const glowOf = ({ coolest, warmest, ramp, mirek }) =>
  ramp[Math.round((mirek - coolest) / Math.max(1, warmest - coolest) * (ramp.length - 1))]

export const kelvin = (mirek) => `${Math.round(100_000 / mirek) * 10} K`
