import { act, fetched, lazily, once, opening } from './act.js'
import { perform } from './api.js'
import { choice, gradient, range, scrubber, tabs } from './controls.js'
import { element, setAttribute, setStyle, setText, whenLoaded } from './dom.js'
import { following } from './following.js'
import { css, kelvin, noEffect } from './lamp.js'
import { page } from './page.js'
import { openSaver, openScene } from './scenes.js'
import { closeSheet, here, openSheet } from './sheet.js'
import { StripView } from './strip.js'
import { isolated, text } from './text.js'
import { showMessage } from './toast.js'
import { everyMinute, left, withTime } from './times.js'

const openLampSettings = lazily(() => import('./setup.js'), 'openLampSettings')
const showHistory = lazily(() => import('./log.js'), 'showHistory')

/** All that a lamp can do, and why it is as it is. What a scene has of it has a `back`, and no tile that could go. */
export const openMore = (lamp, back = lamp.back) => palette ? act(() => show(lamp, palette, back))
  : opening(load, (palette) => show(lamp, palette, back))

let palette = null
const load = async () => (palette ??= await fetched(() => import('./palette.js')))
// When the page has all that it shows first. Whatever goes wrong is said to whoever opens a sheet.
whenLoaded(() => load().catch(() => {}))

function show(lamp, palette, back) {
  const { title, place } = lamp.model
  const isDraft = Boolean(lamp.back)
  const view = new MoreView(lamp, palette)
  const stop = [lamp.show(view), everyMinute(() => lamp.paint()), isDraft ? () => {} : closeWithout(lamp)]
  const close = () => {
    stop.forEach((stop) => stop())
    // A slider that is taken away under a finger sends nothing more.
    lamp.leave()
  }
  openSheet({ title, place, content: view.content, close, back, keeps: isDraft })
}

/** Closes the sheet of a lamp or a room that no longer exists, until the returned function is called. */
const closeWithout = (lamp) => page.follow(() => {
  if (page.has(lamp)) return
  closeSheet()
  showMessage(text`${isolated(lamp.model.title)} is gone.`)
})

class MoreView {
  #lamp
  #parts = []
  #palette
  /** `null` if it shows one colour. */
  #strip = null
  /** What it can show, and what of that is in sight: to look at another changes nothing. */
  #tones
  #tone
  /** The colour that was set last in this gesture. */
  #picked = null
  /** What the controls of a colour are for. */
  #colored

  constructor(lamp, palette) {
    this.#lamp = lamp
    this.#palette = palette
    this.#colored = {
      touch: () => lamp.touch(),
      paint: () => lamp.paint(),
      leave: () => {
        lamp.leave()
        palette.remember(this.#picked)
        this.#picked = null
      }
    }
    const { model } = lamp
    this.content = []
    if (lamp.can('switch') || model.level !== null || !page.may('change')) this.#addState()
    this.#addTones()
    this.#addScenes()
    this.#addWhy()
    this.#add(...following(lamp))
    // What happened to the lamp is no part of a scene.
    if (page.may('log') && !lamp.back) this.#addHistory()
    if (page.may('change')) this.#addActions()
  }

  paint(shown) { this.#parts.forEach((paint) => paint(shown)) }

  #add(node, paint) {
    this.content.push(node)
    if (paint) this.#parts.push(paint)
  }

  #addState() {
    const lamp = this.#lamp
    const [level, detail] = [element('b', {}), element('span', { class: 'quiet' })]
    const button = (click) => element('button', { class: 'pill', type: 'button', click: () => act(click) })
    const main = button(() => lamp.switch())
    // What is on in part, or unknown, can be turned either way.
    const other = button(() => lamp.switch(lamp.shown.state === 'on' ? 'on' : 'off'))
    const doubt = element('p', { class: 'quiet' })
    this.#add(element('div', { class: 'state' }, element('p', { class: 'level' }, level, detail),
      lamp.can('switch') ? element('div', { class: 'actions' }, other, main) : null, doubt))
    this.#parts.push(({ state, partly, levelText, detail: words, members, reason, effects }) => {
      setText(level, levelText)
      setText(detail, [words, words && effects?.until && left(effects.until)].filter(Boolean).join(', '))
      setText(main, state === 'on' ? text`Turn off` : text`Turn on`)
      setText(other, state === 'on' ? text`Turn all on` : text`Turn off`)
      const isOneWay = state === 'on' ? !partly : state === 'off'
      if (isOneWay && document.activeElement === other) main.focus()
      other.hidden = isOneWay
      // The lamps of a zone stand elsewhere on the page.
      setText(doubt, state === 'unknown' && reason ? withTime(reason.text, reason.at) : members)
      doubt.hidden = !doubt.textContent
    })
  }

  // MARK: What it shows

  /** Of white, colour, gradient and effect what it can, one at a time. */
  #addTones() {
    const lamp = this.#lamp
    const { white, gradient, effects, display } = lamp.model
    const isScrubbed = display === 'scrubbing'
    // The field of whites would take a lamp's colour away: its brightness has a slider, too.
    const isInField = isScrubbed && lamp.can('white') && white && !lamp.can('color')
    if (this.#canDim && !isInField) this.#add(...this.#level())
    const boxes = {}
    const box = (tone, can, nodes) => { if (can) boxes[tone] = element('div', { class: 'tone' }, ...nodes()) }
    // Before the colours, because they may be those of its points.
    box('gradient', lamp.can('gradient') && gradient, () => this.#gradients())
    box('color', lamp.can('color'), () => this.#colors(isScrubbed))
    box('white', lamp.can('white') && white, () => this.#whites(isScrubbed && this.#canDim))
    box('effect', lamp.can('effect') && effects, () => this.#effects())
    const names = { white: text`White`, color: text`Colour`, gradient: text`Gradient`, effect: text`Effect` }
    this.#tones = Object.keys(names).filter((tone) => boxes[tone])
    if (!this.#tones.length) return
    const panel = element('div', { id: 'tab-panel' }, ...Object.values(boxes))
    const paint = () => {
      for (const [tone, box] of Object.entries(boxes)) {
        const isPoint = tone === 'color' && this.#point !== null
        box.hidden = tone !== this.#tone && !isPoint
      }
    }
    const row = tabs(text`What it shows`, this.#tones, (tone) => names[tone], (tone) => {
      this.#tone = tone
      lamp.paint()
    })
    const { mode, effects: runs } = lamp.shown
    const tone = runs && runs.running !== noEffect ? 'effect' : mode
    this.#tone = this.#tones.includes(tone) ? tone : this.#tones[0]
    row.select(this.#tone)
    if (this.#tones.length > 1) {
      setAttribute(panel, 'role', 'tabpanel')
      setAttribute(panel, 'aria-label', text`What it shows`)
      this.#add(row.node)
    }
    this.#add(panel, paint)
  }

  /** Shown where it stands, which `#add` does not decide. */
  #paints(node, paint) {
    this.#parts.push(paint)
    return node
  }

  get #canDim() { return this.#lamp.can('dim') && this.#lamp.model.level !== null }

  #level() {
    const slider = range(text`Brightness`, 1, 100, this.#lamp, (value) => this.#lamp.setLevel(value / 100))
    return [slider.node, ({ level, state, glow, valueText }) => {
      slider.show(Math.round((level ?? 0) * 100), '', state === 'on', valueText)
      // Filled as the tile is: the level of a lamp that is off is only where it would begin.
      setStyle(slider.input, '--filled', `${state === 'on' ? (level ?? 0) * 100 : 0}%`)
      setStyle(slider.input, '--glow', glow ?? 'var(--quiet)')
    }]
  }

  /** `isField`: white tone and brightness under one finger. */
  #whites(isField) {
    const lamp = this.#lamp
    const { coolest, warmest, ramp } = lamp.model.white
    const tone = (white) => white?.mirek ?? (coolest + warmest) / 2
    const feelings = this.#palette.whites(lamp, (mirek) => lamp.setWhite(mirek))
    const isWhite = ({ mode, state }) => state === 'on' && mode !== 'color' && mode !== 'gradient'
    this.#parts.push((shown) => feelings.paint(isWhite(shown) && shown.mode ? tone(shown.white) : null))
    if (!isField) {
      const slider = range(text`White tone`, coolest, warmest, lamp, (value) => lamp.setWhite(value))
      setStyle(slider.input, '--track', gradient(ramp))
      return [feelings.node, this.#paints(slider.node, ({ white, mode, state }) =>
        slider.show(tone(white), kelvin(tone(white)), mode === 'white' && state === 'on'))]
    }
    const field = scrubber(text`White tone across, brightness up`, lamp,
      { label: text`White tone`, least: coolest, most: warmest, text: kelvin },
      { label: text`Brightness`, least: 1, most: 100, text: (value) => text`${value} percent` },
      (mirek, percent, moved) => {
        if (moved.x) lamp.setWhite(mirek)
        if (moved.y) lamp.setLevel(percent / 100)
      })
    setStyle(field.surface, '--ground', `linear-gradient(to top, #0009, #0000), ${gradient(ramp)}`)
    return [feelings.node, this.#paints(field.node, (shown) => {
      const [mirek, percent] = [tone(shown.white), Math.round((shown.level ?? 0) * 100)]
      const isHere = isWhite(shown)
      field.show(mirek, percent, isHere, isHere ? shown.glow : null, `${kelvin(mirek)}, ${text`${percent}%`}`)
    })]
  }

  /** `isField`: hue and saturation under one finger. */
  #colors(isField) {
    const lamp = this.#colored
    const rows = this.#palette.colours(this.#lamp, (hue, saturation) => this.#setColor(hue, saturation))
    this.#parts.push((shown) => {
      const color = this.#colorOf(shown)
      rows.paint(color.isShown ? color : null)
    })
    const hues = gradient([0, 60, 120, 180, 240, 300, 360].map((hue) => css(hue, 100)))
    const degrees = (value) => text`${value} degrees`
    if (isField) {
      const field = scrubber(text`Colour across, saturation up`, lamp,
        { label: text`Colour`, least: 0, most: 360, text: degrees },
        { label: text`Saturation`, least: 0, most: 100, text: (value) => text`${value} percent` },
        (hue, saturation) => this.#pickColor(hue, saturation))
      setStyle(field.surface, '--ground', `linear-gradient(to top, #fff, #fff0), ${hues}`)
      return [...rows.nodes, this.#paints(field.node, (shown) => {
        const { title, name, hue, saturation, isShown } = this.#colorOf(shown)
        const words = [name, text`${Math.round(saturation)}%`].filter(Boolean).join(', ')
        field.name(text`${title} across, saturation up`, title)
        field.show(Math.round(hue), Math.round(saturation), isShown, css(hue, saturation), words)
      })]
    }
    const hue = range(text`Colour`, 0, 360, lamp, (value) => this.#pickColor(value, saturation.value || 100))
    const saturation = range(text`Saturation`, 0, 100, lamp, (value) => this.#pickColor(hue.value, value))
    setStyle(hue.input, '--track', hues)
    return [...rows.nodes, hue.node, this.#paints(saturation.node, (shown) => {
      const { title, name, isShown, ...color } = this.#colorOf(shown)
      const [angle, percent] = [Math.round(color.hue), Math.round(color.saturation)]
      hue.name(title)
      hue.show(angle, name, isShown, [degrees(angle), name].filter(Boolean).join(', '))
      saturation.show(percent, text`${percent}%`, isShown)
      setStyle(saturation.input, '--track', gradient([css(hue.value, 0), css(hue.value, 100)]))
    })]
  }

  #gradients() {
    const lamp = this.#lamp
    const { modes } = lamp.model.gradient
    const strip = this.#strip = new StripView(lamp)
    const node = this.#paints(strip.node, (shown) => strip.paint(shown))
    if (modes.length < 2) return [node]
    const arrangement = choice(text`Arrangement`, modes, lamp,
      (mode) => lamp.setGradient(lamp.shown.gradient.points, mode), this.#palette.arrangementName)
    return [node, this.#paints(arrangement.node, ({ gradient }) => arrangement.show(gradient?.mode))]
  }

  /** Of a finger on its way; the last one is remembered. */
  #pickColor(hue, saturation) {
    this.#picked = { hue, saturation }
    this.#setColor(hue, saturation)
  }

  /** Of the point that is chosen on the strip, or of the whole lamp. */
  #setColor(hue, saturation) {
    if (this.#point === null) this.#lamp.setColor(hue, saturation)
    else this.#strip.setColor(hue, saturation)
  }

  /** The place on the strip that the controls of a colour are for; `null` if they are for the whole lamp. */
  get #point() { return this.#tone === 'gradient' ? this.#strip.chosen : null }

  /** What the controls of a colour show, and of what. */
  #colorOf({ kind, color, gradient, mode, moves, state, detail }) {
    const place = this.#point
    const isShown = state === 'on' && mode === (place === null ? 'color' : 'gradient')
    if (place !== null) return { name: '', ...gradient.points[place], title: text`Colour ${place + 1}`, isShown }
    // The detail of a room is how many lights it has.
    const name = kind === 'light' && !moves ? detail : ''
    return { hue: color?.hue ?? 0, saturation: color?.saturation ?? 100, name, title: text`Colour`, isShown }
  }

  // MARK: What runs

  #effects() {
    const lamp = this.#lamp
    const { names, adjusts, timed } = lamp.model.effects
    const { effectName } = this.#palette
    const effects = choice(text`Effect`, names, lamp,
      (name) => lamp.setEffect(name, null, null, effectName(name)), effectName)
    return [this.#paints(effects.node, ({ effects: shown }) => effects.show(shown?.running)),
      ...(adjusts ? [this.#speed()] : []), ...(timed.length ? this.#timed(timed, effectName) : [])]
  }

  #speed() {
    const lamp = this.#lamp
    const speed = range(text`Speed`, 0, 100, lamp, (value) => {
      const { running } = lamp.shown.effects
      lamp.setEffect(running, value, null, this.#palette.effectName(running))
    })
    setStyle(speed.input, '--glow', 'var(--quiet)')
    return this.#paints(speed.node, ({ effects, state }) => {
      const { running, names, speed: percent } = effects ?? { running: noEffect, names: [], speed: null }
      const value = Math.round(percent ?? 50)
      speed.node.hidden = running === noEffect || !names.includes(running)
      speed.show(value, text`${value}%`, percent !== null && state === 'on')
      setStyle(speed.input, '--filled', `${value}%`)
    })
  }

  /** What comes to an end has buttons: an arrow key on the way to another choice would begin it. */
  #timed(names, effectName) {
    const lamp = this.#lamp
    const lengths = choice(text`Slow effect over`, ['10', '20', '30', '60'], lamp, () => {},
      (minutes) => text`${minutes} min`)
    lengths.show('30')
    const buttons = names.map((name) => element('button', {
      class: 'pill', type: 'button', click: () => act(() => {
        lamp.touch()
        if (runs(lamp.shown, name)) lamp.setEffect(noEffect)
        else lamp.setEffect(name, null, Number(lengths.value), effectName(name))
        lamp.leave()
      })
    }))
    const runs = ({ effects, state }, name) => effects?.running === name && state === 'on'
    return [lengths.node, this.#paints(element('div', { class: 'actions' }, ...buttons), (shown) =>
      buttons.forEach((button, index) => {
        const name = effectName(names[index])
        setText(button, runs(shown, names[index]) ? text`End ${name}` : text`Begin ${name}`)
      }))]
  }

  /** Of a room: what holding a scene's button offers, too, for those who cannot hold, and its first scene. */
  #addScenes() {
    const lamp = this.#lamp
    const room = page.frame?.sections.find(({ whole }) => whole === lamp.model.key)
    if (!room || !page.may('change') || !(room.scenes.length || page.may('manage'))) return
    const button = (words, click) => element('button', {
      class: 'pill', type: 'button', dir: 'auto', 'aria-haspopup': 'dialog', click
    }, words)
    const back = () => openMore(lamp)
    this.#add(element('h3', {}, text`Scenes`))
    this.#add(element('div', { class: 'actions' },
      ...room.scenes.map((scene) => button(scene.title, () => openScene(scene, room.title, back))),
      page.may('manage') ? button(text`Save what it shows`, () => openSaver(room, back)) : null))
  }

  // MARK: Why, and what else

  #addWhy() {
    const why = element('p', {})
    const box = element('div', { class: 'why' }, element('h3', {}, text`Why`), why)
    this.#add(box, (shown) => {
      setText(why, withTime(shown.why, shown.reason?.at))
      // The lights of a room may each have their own reason.
      box.hidden = !shown.why
    })
  }

  /** Read when the sheet is open, and again when the lamp says something else: then something has happened. */
  #addHistory() {
    const box = element('div', { class: 'log history' })
    let told = null
    let reading = null
    this.#add(box, ({ reason, state, valueText }) => {
      const news = JSON.stringify([reason, state, valueText])
      if (news === told) return
      clearTimeout(reading)
      // Not for every value of a drag.
      reading = setTimeout(() => showHistory(box, this.#lamp, () => openMore(this.#lamp)), told === null ? 0 : 500)
      told = news
    })
  }

  #addActions() {
    const lamp = this.#lamp
    const { target } = lamp.model
    const actions = element('div', { class: 'actions' })
    const action = (words, click) => actions.append(element('button', {
      class: 'pill', type: 'button', click: () => act(click)
    }, words))
    if (lamp.can('identify')) {
      action(text`Make it blink`, async () => {
        await perform('identify', { target })
        showMessage(text`${isolated(lamp.model.title)} is blinking.`)
      })
    }
    if (lamp.can('rename')) action(text`Rename`, () => rename(lamp))
    if (lamp.can('rename') && lamp.model.kind === 'light') action(text`Settings`, () => openLampSettings(lamp))
    if (lamp.can('pin')) {
      const { pin, display } = lamp.model
      // The sheet is built anew after each of these: what it offers has changed.
      const change = (command, words, fields = {}) => async () => {
        await perform(command, { target, ...fields })
        closeSheet()
        showMessage(words(isolated(lamp.model.title)))
      }
      if (pin === null || pin === undefined) {
        action(text`Pin to the top`, change('pin', (name) => text`${name} is pinned to the top.`))
      } else {
        action(text`Unpin`, change('unpin', (name) => text`${name} is no longer pinned.`))
        const moved = (place) => change('move', (name) => text`${name} has another place now.`, { place })
        if (pin > 1) action(text`Move earlier`, moved(pin - 1))
        if ([...page.lamps.values()].some(({ model }) => model.pin > pin)) {
          action(text`Move later`, moved(pin + 1))
        }
        if (lamp.can('color') || lamp.can('white')) {
          const isField = display === 'scrubbing'
          action(isField ? text`Use sliders` : text`Use a colour field`, change('display',
            (name) => isField ? text`${name} has sliders now.` : text`${name} has a colour field now.`,
            { display: isField ? 'slider' : 'scrubbing' }))
        }
      }
    }
    this.#add(actions)
  }
}

const rename = (lamp) => askForName({
  title: text`Rename`, place: lamp.model.title, value: lamp.model.title, words: text`Rename`,
  back: () => openMore(lamp), close: closeWithout(lamp)
}, async (name) => {
  const before = lamp.model.title
  await perform('rename', { target: lamp.model.target, name })
  return text`${isolated(before)} is called ${isolated(name)} now.`
})

/**
 * A sheet with one field for a name. `words`: on its button. `done(name)`: does something with it, and returns what is
 * said then.
 * @param {any} sheet
 * @param {(name: string) => Promise<string>} done
 */
export function askForName({ value, words, hint = null, ...sheet }, done) {
  const input = element('input', {
    type: 'text', id: 'name', maxlength: 32, required: true, value, dir: 'auto', autocomplete: 'off'
  })
  const submit = once(async () => {
    const name = input.value.trim()
    if (!name) return
    const isHere = here()
    const said = await done(name)
    if (isHere()) closeSheet()
    showMessage(said)
  })
  openSheet({
    ...sheet, content: [element('form', {
      class: 'form', submit: (event) => {
        event.preventDefault()
        submit()
      }
    }, element('label', { for: 'name' }, text`Name`), input, hint && element('p', { class: 'quiet' }, hint),
    element('button', { class: 'pill strong', type: 'submit' }, words))]
  })
  input.select()
}
