import { act, once, opening } from './act.js'
import { perform, request } from './api.js'
import { range } from './controls.js'
import { byID, element, setAttribute, setStyle, setText } from './dom.js'
import { css, glowOf, kelvin, noEffect } from './lamp.js'
import { askForName } from './more.js'
import { page } from './page.js'
import { colorName, effectName } from './palette.js'
import { isPinned, pin, recall, roomOf } from './scenes.js'
import { closeSheet, openSheet } from './sheet.js'
import { counted, directed, isolated, text } from './text.js'
import { TileView } from './tile.js'
import { say, showFailure, showMessage } from './toast.js'

/** Several keys set one speed. */
const keyPause = 500

// MARK: A scene

/** What can be done with a scene. `place`: the name of its room. */
export function openScene(scene, place, back = null) {
  const { id, title, smart } = scene
  const shown = () => roomOf(scene)?.scenes.find((scene) => scene.id === id) ?? scene
  const again = () => openScene(shown(), place, back)
  const stop = []
  let sending = null
  const row = (words, hint, click) => element('li', {}, element('button', {
    class: 'row', type: 'button', click
  }, element('b', {}, words), hint && element('span', { class: 'quiet' }, hint)))
  const way = (words, hint, fields = () => ({})) => row(words, hint, () => {
    clearTimeout(sending)
    closeSheet()
    recall(scene, fields())
  })
  const content = []
  if (smart) {
    const end = row(text`Stop`, text`Its lamps stay as they are`, () => act(async () => {
      await perform('deactivate_scene', { scene: id })
      closeSheet()
      showMessage(text`${directed(title)} no longer changes the lamps.`)
    }))
    stop.push(page.follow(() => { end.hidden = shown().smart !== 'active' }))
    end.hidden = smart !== 'active'
    content.push(element('ul', { class: 'rows' },
      way(text`Turn on`, text`Other scenes of the room come by themselves, at their times`), end))
  } else if (scene.canBeDynamic) {
    /** As it is set here; `null` leaves it to the scene. */
    let chosen = null
    const dynamically = () => ({ dynamic: true, speed: chosen })
    const speed = range(text`How fast it moves`, 0, 100, {
      touch() { clearTimeout(sending) },
      // What moves is told at once.
      leave() { if (shown().moves) sending = setTimeout(() => recall(scene, dynamically()), keyPause) },
      paint: () => paint()
    }, (value) => {
      chosen = value
      paint()
    })
    setStyle(speed.input, '--glow', 'var(--quiet)')
    const paint = () => {
      const percent = chosen ?? shown().speed
      const value = Math.round(percent ?? 50)
      speed.show(value, text`${value}%`, percent !== null, percent === null ? text`as saved` : text`${value}%`)
      setStyle(speed.input, '--filled', `${value}%`)
    }
    paint()
    stop.push(page.follow(paint))
    content.push(element('ul', { class: 'rows' },
      way(text`Turn on`, text`Its lamps as they were saved, without moving`, () => ({ dynamic: false })),
      way(text`Turn on, moving`, text`Its lamps move through its colours`, dynamically)), speed.node)
  } else {
    content.push(element('ul', { class: 'rows' }, way(text`Turn on`, text`Its lamps as they were saved`)))
  }
  if (page.may('manage') && !smart) {
    content.push(element('ul', { class: 'rows' },
      row(text`Edit its lamps`, null, () => edit(scene, place)),
      row(text`Take what the room shows`, shown().changed ? text`Some of its lamps were changed since` : null,
        () => act(() => update(scene)))))
  }
  content.push(actions(scene, again))
  openSheet({
    title, place: smart ? text`Smart scene in ${directed(place)}` : text`Scene in ${directed(place)}`, back, content,
    close: () => stop.forEach((stop) => stop())
  })
}

/** What concerns its button more than its lamps. */
function actions(scene, again) {
  const { id, title } = scene
  const action = (words, click) => element('button', { class: 'pill', type: 'button', click }, words)
  const room = roomOf(scene)
  const others = room?.scenes.map(({ id }) => id) ?? []
  const index = others.indexOf(id)
  const target = page.lamps.get(room?.whole)?.model.target
  const move = (words, to) => others[to] && target ? [action(words, () => act(async () => {
    const order = others.filter((other) => other !== id)
    order.splice(to, 0, id)
    await perform('reorder_scenes', { room: target, scenes: order })
    say(text`${directed(title)}: place ${to + 1} of ${order.length}.`)
    // What it offers changes when the page has the new order.
    const check = () => {
      const isDone = roomOf(scene)?.scenes[to]?.id === id
      if (content.isConnected && !isDone) return
      stop()
      if (!content.isConnected) return
      again()
      const button = [...byID('sheet').querySelectorAll('.actions button')].find((one) => one.textContent === words)
      button?.focus()
    }
    const stop = page.follow(check)
    check()
  }))] : []
  const isOn = isPinned(scene)
  const pinning = action(isOn ? text`Unpin in this browser` : text`Pin to the top in this browser`, () => {
    pin(scene, !isOn)
    closeSheet()
    showMessage(isOn ? text`${directed(title)} is no longer pinned.` : text`${directed(title)} is pinned to the top.`)
  })
  const content = element('div', { class: 'actions' }, pinning, ...(page.may('manage') ? [
    ...move(text`Move earlier`, index - 1), ...move(text`Move later`, index + 1),
    ...(scene.smart ? [] : [
      action(text`Rename`, () => rename(scene, again)),
      action(text`Delete`, () => askToDelete(scene, again))
    ])
  ] : []))
  return content
}

/** Saves what a room shows as a scene of it. `room`: a section of the page. */
export function openSaver({ title: place, whole }, back = null) {
  askForName({
    title: text`New scene`, place, value: '', words: text`Save`, back,
    hint: text`It keeps what the lamps show now.`
  }, async (name) => {
    await page.finish()
    await perform('save_scene', { name, targets: [page.lamps.get(whole).model.target] })
    return text`${directed(name)} is saved.`
  })
}

const rename = ({ id, title }, back) => askForName(
  { title: text`Rename`, place: title, value: title, words: text`Rename`, back },
  async (name) => {
    await perform('rename_scene', { scene: id, name })
    return text`${directed(title)} is called ${directed(name)} now.`
  })

// MARK: Deleting

const askToDelete = (scene, back) => opening(() => uses(scene), (used) => {
  const { id, title } = scene
  const gone = async () => {
    await perform('delete_scene', { scene: id })
    pin(scene, false)
    closeSheet()
    showMessage(text`${directed(title)} is deleted.`)
  }
  openSheet({
    title: text`Delete ${directed(title)}?`, back, content: [
      element('p', {}, text`Nothing brings it back. Its lamps stay as they are.`),
      ...(used.length ? [element('p', {}, text`What uses it does less then:`),
        element('ul', { class: 'versions' }, ...used.map((words) => element('li', { dir: 'auto' }, words)))] : []),
      element('div', { class: 'actions' },
        element('button', { class: 'pill', type: 'button', click: back }, text`Keep it`),
        element('button', { class: 'pill strong', type: 'button', click: () => act(gone) }, text`Delete`))
    ]
  })
})

/** What names it, as far as lightd tells: smart scenes, switches and automations. */
async function uses(scene) {
  const [scenes, bindings, automations] = await Promise.all(
    ['scenes', 'bindings', 'automations'].map((list) => request('GET', `/v1/${list}`)))
  const room = roomOf(scene)
  const isOnlyOne = scenes.filter(({ name }) => name === scene.title).length === 1
  const target = page.lamps.get(room?.whole)?.model.target
  const names = [`${room?.title}/${scene.title}`, scene.id, ...(isOnlyOne ? [scene.title] : [])]
    .map((name) => name.toLowerCase())
  // A step is a command as it is typed; a name with spaces is quoted.
  const isStep = (step) => {
    const words = ` ${step.toLowerCase().replace(/['"\\]/g, '')} `
    const recalled = words.split(/ recall (?:scene )?/).slice(1)
    return recalled.some((words) => names.some((name) => words.startsWith(`${name} `) || words.startsWith(`@${name} `)))
  }
  return [
    ...scenes.filter(({ smart }) => smart?.week.some(({ slots }) => slots.some(({ id }) => id === scene.id)))
      .map(({ name }) => text`Smart scene ${name}`),
    ...bindings.filter((one) => one.scenes.includes(scene.title) && (isOnlyOne || one.target === target))
      .map(({ name }) => text`Switch ${name}`),
    ...automations.filter(({ do: steps }) => steps.some(isStep)).map(({ name }) => text`Automation ${name}`)
  ]
}

// MARK: What a scene stores

/** As its bridge has it now. */
const read = ({ id }) => request('GET', `/v1/scene?scene=${encodeURIComponent(id)}`)
const byTarget = ({ values }) => new Map(values.map((value) => [value.target, value]))
/** Whether two reads are of the same: a colour may come back a little otherwise, as its lamp was asked for it. */
function isSame(one, other) {
  if (typeof one === 'number' && typeof other === 'number') return Math.abs(one - other) <= 1
  if (typeof one === 'string' && typeof other === 'string' && one.startsWith('rgb(')) {
    return isSame(one.match(/[\d.]+/g).map(Number), (other.match(/[\d.]+/g) ?? []).map(Number))
  }
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other
  // A swatch says what other fields do, and a lamp may be renamed.
  return Object.keys({ ...one, ...other }).filter((key) => !['color', 'name'].includes(key))
    .every((key) => isSame(one[key], other[key]))
}

/** What sets a light in a scene to what was stored for it. */
function stored({ target, name, color, power, ...values }) {
  return power === 'off' ? { power } : { power: 'on', ...values }
}

/**
 * Sets lights in a scene, unless somebody else has changed what was known of them: those are returned, and nothing is
 * set. `changes`: `{ target, fields, known }`; what is the same for several lights is one command, after which
 * `written` is called with them.
 */
async function write(scene, changes, written = (targets) => {}) {
  const now = byTarget(await read(scene))
  const others = changes.filter(({ target, known }) => !isSame(now.get(target), known))
    .map((change) => ({ ...change, now: now.get(change.target) }))
  if (others.length) return others
  const commands = new Map()
  for (const { target, fields } of changes) {
    const key = JSON.stringify(fields)
    commands.set(key, [...commands.get(key) ?? [], target])
  }
  const left = []
  for (const [fields, targets] of commands) {
    const reply = await perform('edit_scene', { scene: scene.id, targets, ...JSON.parse(fields) })
    written(targets)
    left.push(...reply?.left_out ?? [])
  }
  if (left.length) showMessage(text`Not all of it can be shown: ${left.map(({ reason }) => reason).join(', ')}.`)
  return []
}

/** Says what has become of a scene, and takes it back if asked to: for these lights, from what it was before. */
async function offerBack(scene, before, words, targets) {
  const after = byTarget(await read(scene))
  const changes = targets.filter((target) => before.get(target) && !isSame(before.get(target), after.get(target)))
    .map((target) => ({ target, known: after.get(target), fields: stored(before.get(target)) }))
  showMessage(words, ...(changes.length ? [element('button', {
    type: 'button', 'aria-keyshortcuts': 'Control+Z Meta+Z', click: () => act(async () => {
      const others = await write(scene, changes)
      showMessage(others.length ? text`Somebody else has changed ${directed(scene.title)} since. It was left as it is.`
        : text`${directed(scene.title)} is as it was.`)
    })
  }, text`Undo`)] : []))
}

async function update(scene) {
  await page.finish()
  const before = byTarget(await read(scene))
  await perform('update_scene', { scene: scene.id })
  closeSheet()
  await offerBack(scene, before, text`${directed(scene.title)} has what the room shows.`, [...before.keys()])
}

// MARK: Editing

const edit = (scene, place) => opening(() => read(scene), ({ values }) => new Editor(scene, place, values).open())

/** The lamps of a scene, as they would be: nothing is stored before it is saved. */
class Editor {
  #scene
  #place
  #drafts
  /** The command with which the room began to show what is edited; `null` while it shows something else. */
  #preview = null
  /** One preview is sent after the other. */
  #sending = Promise.resolve()
  #gesture = Math.random().toString(36).slice(2)
  #isDone = false
  #closed
  #toggle
  #note

  constructor(scene, place, values) {
    this.#scene = scene
    this.#place = place
    this.#drafts = values.flatMap((value) => {
      const lamp = page.lamps.get(`light/${value.target}`)
      if (!lamp) return []
      const title = text`in ${isolated(scene.title)}, ${isolated(place)}`
      return [new Draft(value, lamp.model, title, () => this.open(), (draft) => this.#show([draft]))]
    })
    this.#listen()
  }

  /** However the sheet is closed: nothing is lost, and the room shows again what it showed. */
  #listen() {
    this.#closed = new AbortController()
    byID('sheet').addEventListener('close', async () => {
      this.#closed.abort()
      const said = await this.#endPreview()
      // Who was signed out meanwhile can change nothing any more.
      if (this.#isDone || !page.may('manage') || !this.#changed.length) {
        if (said) showMessage(said)
        return
      }
      const words = text`${directed(this.#scene.title)} is not changed yet.`
      showMessage([said, words].filter(Boolean).join(' '), element('button', {
        type: 'button', click: () => {
          this.#listen()
          this.open()
        }
      }, text`Go on editing`))
    }, { signal: this.#closed.signal })
  }

  get #changed() { return this.#drafts.filter((draft) => draft.fields !== null) }

  open() {
    this.#note = element('p', { class: 'quiet' })
    this.#toggle = element('button', { class: 'pill', type: 'button', click: () => act(() => this.#togglePreview()) },
      text`Show it in the room`)
    this.#paint()
    const tiles = this.#drafts.map((draft) => new TileView(draft))
    tiles.forEach(({ node }) => node.classList.add('whole'))
    openSheet({
      title: this.#scene.title, place: text`Scene in ${directed(this.#place)}`, keeps: true,
      close: () => tiles.forEach((tile) => tile.remove()),
      content: [
        element('div', { class: 'why' }, this.#note, this.#toggle),
        element('h3', {}, text`Its lamps`), element('div', { class: 'grid' }, ...tiles.map(({ node }) => node)),
        element('div', { class: 'scene-foot' },
          element('button', { class: 'pill', type: 'button', click: () => this.#cancel() }, text`Cancel`),
          element('button', { class: 'pill strong', type: 'button', click: this.#saveOnce }, text`Save`))
      ]
    })
  }

  #paint() {
    const isShown = this.#preview !== null
    setText(this.#note, isShown ? text`The room shows what you edit, and afterwards what it showed before.`
      : text`The room stays as it is while you edit.`)
    setAttribute(this.#toggle, 'aria-pressed', String(isShown))
  }

  // MARK: In the room

  async #togglePreview() {
    if (this.#preview !== null) {
      const said = await this.#endPreview()
      if (said) showMessage(said)
      return
    }
    this.#preview = undefined
    await this.#show(this.#drafts)
    this.#paint()
  }

  /** Nothing that was only looked at is sent: the room shows drafts only while that is wanted. */
  #show(drafts) {
    if (this.#preview === null) return
    const lights = drafts.map((draft) => draft.state)
    this.#sending = this.#sending.then(async () => {
      try {
        await page.changeMany()
        const reply = await perform('apply', { lights, gesture: this.#gesture })
        this.#preview ??= reply?.ticket
      } catch (failure) {
        this.#preview ??= null
        showFailure(failure)
      }
    })
    return this.#sending
  }

  /** Unless somebody else came after it. Returns what is to be said of that. */
  async #endPreview() {
    if (this.#preview === null) return ''
    await this.#sending
    const ticket = this.#preview
    this.#preview = null
    this.#paint()
    if (!ticket || !page.may('change')) return ''
    try {
      await page.changeMany()
      const { skipped = [] } = await perform('undo', { ticket })
      return skipped.length ? text`Some lamps stay as somebody else has set them.` : ''
    } catch (failure) {
      return failure.code === 'changed_since' ? text`The room stays as it is: somebody else has changed it.`
        : failure.words ?? failure.message
    }
  }

  // MARK: The end

  #cancel() {
    this.#isDone = true
    closeSheet()
  }

  #saveOnce = once(() => this.#save())

  async #save() {
    const changed = this.#changed
    const targets = changed.map(({ target }) => target)
    const before = new Map(changed.map(({ target, value }) => [target, value]))
    const written = []
    try {
      const changes = changed.map(({ target, value, fields }) => ({ target, fields, known: value }))
      const others = await write(this.#scene, changes, (targets) => written.push(...targets))
      if (others.length) return this.#askWhose(others)
    } catch (failure) {
      // What was saved before that is no change of somebody else.
      const now = written.length ? await read(this.#scene).then(byTarget, () => null) : null
      if (now) changed.filter(({ target }) => written.includes(target))
        .forEach((draft) => draft.rebase(now.get(draft.target), false))
      throw failure
    }
    this.#isDone = true
    // It may have been closed meanwhile, and show something else.
    if (!this.#closed.signal.aborted) closeSheet()
    await this.#sending
    if (changed.length) await offerBack(this.#scene, before, text`${directed(this.#scene.title)} is saved.`, targets)
  }

  /** Both versions, where two have edited at once. */
  #askWhose(others) {
    const drafts = others.map(({ target, now }) => [this.#drafts.find((draft) => draft.target === target), now])
    const versions = drafts.map(([draft, now]) => element('li', {},
      element('b', { dir: 'auto' }, draft.shown.title),
      element('p', {}, text`Yours: ${draft.shown.valueText}`),
      element('p', {}, now ? text`Theirs: ${draft.words(now)}` : text`Theirs: not in the scene any more`)))
    const decide = once(async (isMine) => {
      drafts.forEach(([draft, now]) => draft.rebase(now, isMine))
      this.#drafts = this.#drafts.filter((draft) => draft.value || draft.fields)
      await this.#save()
    })
    openSheet({
      title: text`Somebody else has changed it, too`, place: this.#scene.title, back: () => this.open(), keeps: true,
      content: [
        element('p', {}, counted(others.length, text`While you were editing, this lamp got other values:`,
          text`While you were editing, these lamps got other values:`)),
        element('ul', { class: 'versions' }, ...versions),
        element('div', { class: 'actions' },
          element('button', { class: 'pill', type: 'button', click: () => decide(false) }, text`Keep theirs`),
          element('button', { class: 'pill strong', type: 'button', click: () => decide(true) }, text`Save mine`))
      ]
    })
  }
}

/** What a scene would set on one lamp. To tiles and sheets it is a lamp, but it sends nothing. */
class Draft {
  #tile
  #place
  #views = new Set()
  /** What was set here, in the terms of a tile; and of those commands, by kind. */
  #own = {}
  #fields = {}
  #left
  #isNew = false

  /** `value`: what the scene stores. `tile`: of the lamp. `left(draft)` is called when a finger has left it. */
  constructor(value, tile, place, back, left) {
    this.value = value
    this.back = back
    this.target = value.target
    this.#tile = tile
    this.#place = place
    this.#left = left
  }

  get model() { return described(this.#stored(this.value)) }
  get shown() { return described({ ...this.#stored(this.value), ...this.#own }) }
  can(ability) { return this.model.can.includes(ability) }
  show(view) {
    this.#views.add(view)
    view.paint(this.shown)
    return () => this.#views.delete(view)
  }
  paint() { this.#views.forEach((view) => view.paint(this.shown)) }

  /** What another version of it has, in words. */
  words(value) { return described(this.#stored(value)).valueText }

  /** Somebody else has stored something else meanwhile. */
  rebase(value, isMine) {
    this.value = value
    if (isMine) return
    this.#own = {}
    this.#fields = {}
  }

  /** What the scene is to be told; `null` if nothing has changed. */
  get fields() {
    const isOff = this.value?.power === 'off'
    if (this.shown.state === 'off') return isOff ? null : { power: 'off' }
    const fields = { ...(isOff ? { power: 'on' } : {}), ...this.#fields.level, ...this.#fields.tone }
    return Object.keys(fields).length ? fields : null
  }

  /** What the lamp shows with it. */
  get state() {
    const { state, level, mode, white, color, gradient, effects } = this.shown
    if (state === 'off') return { id: this.target, power: 'off' }
    const tone = mode === 'white' ? { temperature: white.mirek }
      : mode === 'color' ? { hue: color.hue, saturation: color.saturation }
        : mode === 'gradient' ? asFields(gradient) : {}
    const { running, speed } = effects ?? { running: noEffect }
    return {
      id: this.target, power: 'on', ...tone, ...(level === null ? {} : { brightness: level * 100 }),
      ...(running === noEffect ? {} : { effect: running, ...(speed === null ? {} : { effect_speed: speed }) })
    }
  }

  // MARK: Gestures

  touch() {}
  leave() {
    if (!this.#isNew) return
    this.#isNew = false
    this.#left(this)
  }
  setLevel(level) {
    const percent = Math.round(level * 100)
    this.#set('level', { brightness: percent }, { level: percent / 100 })
  }
  setWhite(mirek) { this.#setTone({ temperature: mirek }, { mode: 'white', white: { ...this.model.white, mirek } }) }
  setColor(hue, saturation) { this.#setTone({ hue, saturation }, { mode: 'color', color: { hue, saturation } }) }
  setGradient(points, mode = this.shown.gradient.mode) {
    const named = points.map(({ hue, saturation }) => ({ hue, saturation, name: colorName({ hue, saturation }) }))
    const gradient = { ...this.model.gradient, points: named, mode }
    this.#setTone(asFields(gradient), { mode: 'gradient', gradient })
  }
  setEffect(name, speed = null) {
    const fields = { effect: name, ...(speed === null ? {} : { effect_speed: speed }) }
    // What it runs over stays.
    const before = this.#fields.tone ?? {}
    const { effect, effect_speed: _, ...base } = before
    this.#set('tone', { ...base, ...fields }, { effects: { ...this.model.effects, running: name, speed } })
  }
  switch(to = this.shown.state === 'on' ? 'off' : 'on') {
    this.#own = { ...this.#own, state: to }
    this.#isNew = true
    this.paint()
    this.leave()
  }

  #setTone(fields, own) {
    const { effects } = this.model
    this.#set('tone', fields, { ...own, effects: effects && { ...effects, running: noEffect, speed: null } })
  }

  #set(kind, fields, own) {
    this.#fields[kind] = fields
    this.#own = { ...this.#own, state: 'on', ...own }
    this.#isNew = true
    this.paint()
  }

  /** A stored value in the terms of a tile. What it does not name stays as the lamp has it. */
  #stored(value) {
    const { white, color, gradient, effects, level, can } = this.#tile
    const { power, brightness, temperature, hue, saturation, effect, effect_speed: speed } = value ?? {}
    const points = value?.gradient?.map(pointOf)
    return {
      ...this.#tile, place: this.#place, reason: null, why: '', freshness: 'confirmed', partly: false, moves: false,
      follows: null, pin: null, members: '',
      can: can.filter((ability) => ['switch', 'dim', 'white', 'color', 'gradient', 'effect'].includes(ability)),
      state: power === 'off' ? 'off' : 'on', level: brightness === undefined ? level : brightness / 100,
      swatch: value?.color ?? null,
      mode: points ? 'gradient' : temperature !== undefined ? 'white' : hue !== undefined ? 'color' : null,
      white: white && { ...white, mirek: temperature ?? white.mirek },
      color: color && { hue: hue ?? color.hue, saturation: saturation ?? color.saturation },
      gradient: gradient && {
        ...gradient, points: points ?? gradient.points, mode: value?.gradient_mode ?? gradient.mode
      },
      // Those that come to an end are begun by hand.
      effects: effects && { ...effects, timed: [], running: effect ?? noEffect, speed: speed ?? null, until: null }
    }
  }
}

const asFields = ({ points, mode }) => ({
  gradient: points.map(({ hue, saturation }) => `hsb(${hue},${saturation}%,100%)`),
  ...(mode === null ? {} : { gradient_mode: mode })
})

/** A colour of CSS, "rgb(100%,50%,0%)", as a point of a strip. */
function pointOf(rgb) {
  const [red, green, blue] = rgb.match(/[\d.]+/g).map(Number)
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const span = most - least
  const turn = !span ? 0 : most === red ? (green - blue) / span : most === green ? 2 + (blue - red) / span
    : 4 + (red - green) / span
  const color = { hue: (60 * turn + 360) % 360, saturation: most ? 100 * span / most : 0 }
  return { ...color, name: colorName(color) }
}

/** A tile with its colours, and in words. */
function described(tile) {
  const { state, level, mode, white, color, gradient, effects, swatch, can } = tile
  const isOn = state === 'on'
  const running = effects?.running ?? noEffect
  const percent = can.includes('dim') && level !== null ? Math.max(1, Math.round(level * 100)) : null
  const look = mode === 'gradient' ? gradient.points.map(({ hue, saturation }) => css(hue, saturation)) : []
  const glow = mode === 'gradient' ? look[0] : mode === 'color' ? css(color.hue, color.saturation)
    : mode === 'white' ? (white && glowOf(white)) ?? swatch : swatch ?? tile.glow
  const tone = running !== noEffect ? effectName(running) : mode === 'gradient' ? text`${look.length} colours`
    : mode === 'color' ? colorName(color) : mode === 'white' ? kelvin(white.mirek) : ''
  const detail = isOn ? tone : ''
  const spoken = !isOn ? text`Off` : percent === null ? text`On` : text`${percent} percent`
  return {
    ...tile, glow, look, detail, levelText: !isOn ? text`Off` : percent === null ? text`On` : text`${percent}%`,
    valueText: [spoken, detail].filter(Boolean).join(', ')
  }
}
