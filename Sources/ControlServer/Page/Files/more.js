import { act, lazily } from './act.js'
import { perform } from './api.js'
import { choice, gradient, range, scrubber } from './controls.js'
import { element, setStyle, setText } from './dom.js'
import { css, kelvin, noEffect } from './lamp.js'
import { page } from './page.js'
import { openScene } from './scenes.js'
import { closeSheet, openSheet } from './sheet.js'
import { StripView } from './strip.js'
import { text } from './text.js'
import { showMessage } from './toast.js'
import { everyMinute, left, withTime } from './times.js'

const openLampSettings = lazily(() => import('./rooms.js'), 'openLampSettings')

/** All that a lamp can do, and why it is as it is. */
export function openMore(lamp) {
  const { title, place } = lamp.model
  const view = new MoreView(lamp)
  const stop = [lamp.show(view), everyMinute(() => lamp.paint()), closeWithout(lamp)]
  const close = () => {
    stop.forEach((stop) => stop())
    // A slider that is taken away under a finger sends nothing more.
    lamp.leave()
  }
  openSheet({ title, place, content: view.content, close })
}

/** Closes the sheet of a lamp or a room that no longer exists, until the returned function is called. */
const closeWithout = (lamp) => page.follow(() => {
  if (page.has(lamp)) return
  closeSheet()
  showMessage(text`${isolated(lamp.model.title)} is gone.`)
})

const isolated = (name) => `\u2068${name}\u2069`

class MoreView {
  #lamp
  #parts = []
  /** `null` if it shows one colour. */
  #strip = null

  constructor(lamp) {
    this.#lamp = lamp
    const { model } = lamp
    this.content = []
    if (lamp.can('switch') || model.level !== null || !page.may('change')) this.#addState()
    if (model.display === 'scrubbing') this.#addFields()
    else this.#addSliders()
    this.#addEffects()
    this.#addScenes()
    this.#addWhy()
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
      setText(other, state === 'on' ? 'Turn all on' : 'Turn off')
      const isOneWay = state === 'on' ? !partly : state === 'off'
      if (isOneWay && document.activeElement === other) main.focus()
      other.hidden = isOneWay
      // The lamps of a zone stand elsewhere on the page.
      setText(doubt, state === 'unknown' && reason ? withTime(reason.text, reason.at) : members)
      doubt.hidden = !doubt.textContent
    })
  }

  // MARK: Sliders

  #addSliders() {
    const lamp = this.#lamp
    const { white } = lamp.model
    if (this.#canDim) this.#add(...this.#level())
    if (lamp.can('white') && white) {
      const [least, most] = [white.coolest, white.warmest]
      const slider = range('White tone', least, most, lamp, (value) => lamp.setWhite(value))
      setStyle(slider.input, '--track', gradient(white.ramp))
      this.#add(slider.node, ({ white, mode, state }) => {
        const mirek = white?.mirek ?? (least + most) / 2
        slider.show(mirek, kelvin(mirek), mode === 'white' && state === 'on')
      })
    }
    this.#addGradient()
    if (lamp.can('color')) {
      const hue = range('Colour', 0, 360, lamp, (value) => this.#setColor(value, saturation.value || 100))
      const saturation = range('Saturation', 0, 100, lamp, (value) => this.#setColor(hue.value, value))
      setStyle(hue.input, '--track', gradient([0, 60, 120, 180, 240, 300, 360].map((hue) => css(hue, 100))))
      this.#add(hue.node)
      this.#add(saturation.node, (shown) => {
        const { title, name, isShown, ...color } = this.#colorOf(shown)
        const [degrees, percent] = [Math.round(color.hue), Math.round(color.saturation)]
        hue.name(title)
        hue.show(degrees, name, isShown, [`${degrees} degrees`, name].filter(Boolean).join(', '))
        saturation.show(percent, `${percent}%`, isShown)
        setStyle(saturation.input, '--track', gradient([css(hue.value, 0), css(hue.value, 100)]))
      })
    }
  }

  get #canDim() { return this.#lamp.can('dim') && this.#lamp.model.level !== null }

  #level() {
    const slider = range('Brightness', 1, 100, this.#lamp, (value) => this.#lamp.setLevel(value / 100))
    return [slider.node, ({ level, state, glow, valueText }) => {
      slider.show(Math.round((level ?? 0) * 100), '', state === 'on', valueText)
      // Filled as the tile is: the level of a lamp that is off is only where it would begin.
      setStyle(slider.input, '--filled', `${state === 'on' ? (level ?? 0) * 100 : 0}%`)
      setStyle(slider.input, '--glow', glow ?? 'var(--quiet)')
    }]
  }

  // MARK: Fields

  /** Two values under one finger: white tone and brightness, hue and saturation. */
  #addFields() {
    const lamp = this.#lamp
    const { white } = lamp.model
    // The field of whites would take a lamp's colour away: its brightness has a slider, too.
    if (this.#canDim && (lamp.can('color') || !white)) this.#add(...this.#level())
    if (lamp.can('white') && white && this.#canDim) {
      const { coolest, warmest } = white
      const field = scrubber('White tone across, brightness up', lamp,
        { label: 'White tone', least: coolest, most: warmest, text: kelvin },
        { label: 'Brightness', least: 1, most: 100, text: (value) => `${value} percent` },
        (mirek, percent, moved) => {
          if (moved.x) lamp.setWhite(mirek)
          if (moved.y) lamp.setLevel(percent / 100)
        })
      setStyle(field.surface, '--ground', `linear-gradient(to top, #0009, #0000), ${gradient(white.ramp)}`)
      this.#add(field.node, ({ white, level, mode, state, glow }) => {
        const [mirek, percent] = [white?.mirek ?? (coolest + warmest) / 2, Math.round((level ?? 0) * 100)]
        const isWhite = mode !== 'color' && mode !== 'gradient'
        field.show(mirek, percent, isWhite && state === 'on', isWhite ? glow : null,
          `${kelvin(mirek)}, ${percent}%`)
      })
    }
    this.#addGradient()
    if (lamp.can('color')) {
      const field = scrubber('Colour across, saturation up', lamp,
        { label: 'Colour', least: 0, most: 360, text: (value) => `${value} degrees` },
        { label: 'Saturation', least: 0, most: 100, text: (value) => `${value} percent` },
        (hue, saturation) => this.#setColor(hue, saturation))
      const hues = gradient([0, 60, 120, 180, 240, 300, 360].map((hue) => css(hue, 100)))
      setStyle(field.surface, '--ground', `linear-gradient(to top, #fff, #fff0), ${hues}`)
      this.#add(field.node, (shown) => {
        const { title, name, hue, saturation, isShown } = this.#colorOf(shown)
        const words = [name, `${Math.round(saturation)}%`].filter(Boolean).join(', ')
        field.name(`${title} across, saturation up`, title)
        field.show(Math.round(hue), Math.round(saturation), isShown, css(hue, saturation), words)
      })
    }
  }

  // MARK: Several colours

  #addGradient() {
    const lamp = this.#lamp
    const { gradient } = lamp.model
    if (!lamp.can('gradient') || !gradient) return
    const strip = this.#strip = new StripView(lamp)
    this.#add(strip.node, (shown) => strip.paint(shown))
    if (gradient.modes.length < 2) return
    const modes = choice('Arrangement', gradient.modes, lamp,
      (mode) => lamp.setGradient(lamp.shown.gradient.points, mode))
    this.#add(modes.node, ({ gradient }) => modes.show(gradient?.mode))
  }

  /** Of the point that is chosen on the strip, or of the whole lamp. */
  #setColor(hue, saturation) {
    if ((this.#strip?.chosen ?? null) === null) this.#lamp.setColor(hue, saturation)
    else this.#strip.setColor(hue, saturation)
  }

  /** What the controls of a colour show, and of what. */
  #colorOf({ kind, color, gradient, mode, moves, state, detail }) {
    const place = this.#strip?.chosen ?? null
    const isShown = state === 'on' && mode === (place === null ? 'color' : 'gradient')
    if (place !== null) return { name: '', ...gradient.points[place], title: `Colour ${place + 1}`, isShown }
    // The detail of a room is how many lights it has.
    const name = kind === 'light' && !moves ? detail : ''
    return { hue: color?.hue ?? 0, saturation: color?.saturation ?? 100, name, title: 'Colour', isShown }
  }

  // MARK: What runs

  #addEffects() {
    const lamp = this.#lamp
    const { effects } = lamp.model
    if (!lamp.can('effect') || !effects) return
    const names = choice('Effect', effects.names, lamp, (name) => lamp.setEffect(name))
    this.#add(names.node, ({ effects }) => names.show(effects?.running))
    if (effects.adjusts) this.#addSpeed()
    if (effects.timed.length) this.#addTimed(effects.timed)
  }

  #addSpeed() {
    const lamp = this.#lamp
    const speed = range('Speed', 0, 100, lamp, (value) => lamp.setEffect(lamp.shown.effects.running, value))
    setStyle(speed.input, '--glow', 'var(--quiet)')
    this.#add(speed.node, ({ effects, state }) => {
      const { running, names, speed: percent } = effects ?? { running: noEffect, names: [], speed: null }
      const value = Math.round(percent ?? 50)
      speed.node.hidden = running === noEffect || !names.includes(running)
      speed.show(value, `${value}%`, percent !== null && state === 'on')
      setStyle(speed.input, '--filled', `${value}%`)
    })
  }

  /** What comes to an end has buttons: an arrow key on the way to another choice would begin it. */
  #addTimed(names) {
    const lamp = this.#lamp
    const lengths = choice('Slow effect over', ['10 min', '20 min', '30 min', '60 min'], lamp)
    lengths.show('30 min')
    const buttons = names.map((name) => element('button', {
      class: 'pill', type: 'button', click: () => act(() => {
        lamp.touch()
        if (runs(lamp.shown, name)) lamp.setEffect(noEffect)
        else lamp.setEffect(name, null, parseInt(lengths.value))
        lamp.leave()
      })
    }))
    const runs = ({ effects, state }, name) => effects?.running === name && state === 'on'
    this.#add(lengths.node)
    this.#add(element('div', { class: 'actions' }, ...buttons), (shown) => buttons.forEach((button, index) =>
      setText(button, `${runs(shown, names[index]) ? 'End' : 'Begin'} ${names[index]}`)))
  }

  /** Of a room: what holding a scene's button offers, too, for those who cannot hold. */
  #addScenes() {
    const lamp = this.#lamp
    const room = page.frame?.sections.find(({ whole }) => whole === lamp.model.key)
    const scenes = room?.scenes.filter(({ canBeDynamic }) => canBeDynamic) ?? []
    if (!page.may('change') || !scenes.length) return
    this.#add(element('h3', {}, 'Scenes'))
    this.#add(element('div', { class: 'actions' }, ...scenes.map((scene) => element('button', {
      class: 'pill', type: 'button', dir: 'auto', 'aria-haspopup': 'dialog',
      click: () => openScene(scene, room.title, () => openMore(lamp))
    }, scene.title))))
  }

  // MARK: Why, and what else

  #addWhy() {
    const why = element('p', {})
    const box = element('div', { class: 'why' }, element('h3', {}, 'Why'), why)
    this.#add(box, (shown) => {
      setText(why, withTime(shown.why, shown.reason?.at))
      // The lights of a room may each have their own reason.
      box.hidden = !shown.why
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

function rename(lamp) {
  const input = element('input', {
    type: 'text', id: 'name', maxlength: 32, required: true, value: lamp.model.title, dir: 'auto', autocomplete: 'off'
  })
  const submit = async (event) => {
    event.preventDefault()
    await act(async () => {
      const [before, name] = [lamp.model.title, input.value.trim()]
      await perform('rename', { target: lamp.model.target, name })
      closeSheet()
      showMessage(text`${isolated(before)} is called ${isolated(name)} now.`)
    })
  }
  openSheet({
    title: text`Rename`, place: lamp.model.title, back: () => openMore(lamp), close: closeWithout(lamp),
    content: [element('form', { class: 'form', submit },
      element('label', { for: 'name' }, text`Name`), input,
      element('button', { class: 'pill strong', type: 'submit' }, text`Rename`))]
  })
  input.select()
}
