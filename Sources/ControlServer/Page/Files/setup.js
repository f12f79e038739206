import { act, once, opening } from './act.js'
import { perform, request } from './api.js'
import { byID, element } from './dom.js'
import { openMenu } from './menu.js'
import { openMore } from './more.js'
import { page } from './page.js'
import { closeSheet, here, openSheet } from './sheet.js'
import { counted, isolated, text } from './text.js'
import { showMessage } from './toast.js'

// Rooms and zones, and how lamps are set up: the same commands as everywhere, sent when the reader says "Save".

const read = async () => {
  const [rooms, lights] = await Promise.all(['rooms', 'lights'].map((list) => request('GET', `/v1/${list}`)))
  return { rooms, lights, excluded: (what) => lights.filter((light) => light.excluded_from?.includes(what)) }
}

const button = (words, click, type = 'pill') =>
  element('button', { class: type, type: 'button', click: () => act(click) }, words)

const row = (words, hint, click) => element('li', {}, element('button', {
  class: 'row', type: 'button', click: () => act(click)
}, element('b', { dir: 'auto' }, words), element('span', { class: 'quiet', dir: 'auto' }, hint)))

/** Calls back when rooms or lamps have come, gone or moved, until the returned function is called. */
function followPlaces(changed) {
  const places = () => JSON.stringify(page.frame?.sections.map(({ id, title, tiles }) => [id, title, tiles]))
  let before = places()
  return page.follow(() => {
    if (places() === before || !page.isConnected) return
    before = places()
    changed()
  })
}

// MARK: The list

export function openRooms() {
  const content = element('div', { class: 'stack' })
  const paint = async () => {
    const { rooms, lights, excluded } = await read()
    const list = (kind) => rooms.filter((room) => room.kind === kind).map((room) => row(room.name,
      counted(room.lights.length, text`1 lamp`, text`${room.lights.length} lamps`), () => openRoom(room.id)))
    const lamps = (heading, lights) => lights.length ? [element('h3', {}, heading), element('ul', { class: 'rows' },
      ...lights.map(({ id, name, room }) => row(name, room ?? '', () => openLamp(id, openRooms))))] : []
    const hadFocus = content.contains(document.activeElement)
    content.replaceChildren(
      element('h3', {}, text`Rooms`), element('ul', { class: 'rows' }, ...list('room')),
      element('h3', {}, text`Zones`), element('p', { class: 'quiet' }, text`A lamp is in one room, and in any number of zones.`),
      element('ul', { class: 'rows' }, ...list('zone')),
      element('div', { class: 'actions' }, button(text`New room`, () => openForm({ kind: 'room' })),
        button(text`New zone`, () => openForm({ kind: 'zone' }))),
      ...lamps(text`Hidden lamps`, excluded('page')), ...lamps(text`All off leaves on`, excluded('all_off')),
      ...lamps(text`In no room`, lights.filter(({ room }) => !room)),
      element('p', { class: 'quiet' }, text`A new lamp is added in the app of the bridge's maker. It appears here by itself.`))
    if (hadFocus) byID('sheet-title').focus()
  }
  return opening(paint, () => openSheet({
    title: text`Rooms and lamps`, back: openMenu, content: [content], close: followPlaces(() => act(paint))
  }))
}

// MARK: A room

const openRoom = (id) => opening(read, ({ rooms }) => {
  const room = rooms.find((room) => room.id === id)
  return room ? openForm(room) : openRooms()
})

/** A room that exists, or only its kind. */
const openForm = (room) => opening(read, ({ lights }) => {
  const { id, kind, bridge } = room
  const members = new Set(room.lights ?? [])
  const name = element('input', {
    type: 'text', id: 'name', maxlength: 32, required: true, value: room.name ?? '', dir: 'auto', autocomplete: 'off'
  })
  // A room or zone has lamps of one bridge.
  const boxes = lights.filter((light) => !bridge || light.bridge === bridge).map((light) => {
    const where = kind === 'room' && !members.has(light.id) ? light.room ?? '' : ''
    return { light, ...check(light.name, where, members.has(light.id)) }
  })
  const save = async () => {
    const targets = (isWanted) => boxes.filter(({ light, box }) => box.checked === isWanted &&
      members.has(light.id) !== isWanted).map(({ light }) => light.id)
    const isHere = here()
    const [added, removed, title] = [targets(true), targets(false), name.value.trim()]
    if (!id) {
      await perform('create_room', { name: title, kind, targets: added })
    } else {
      if (title !== room.name) await perform('rename_room', { room: id, name: title })
      if (added.length) await perform('add_to_room', { room: id, targets: added })
      if (removed.length) await perform('remove_from_room', { room: id, targets: removed })
    }
    if (isHere()) await openRooms()
  }
  openSheet({
    title: room.name ?? (kind === 'room' ? text`New room` : text`New zone`),
    place: kind === 'room' ? text`Room` : text`Zone`, back: openRooms, close: closeWithout(room),
    content: [form(save, element('label', { for: 'name' }, text`Name`), name,
      element('fieldset', { class: 'checks' }, element('legend', {}, text`Its lamps`), ...boxes.map(({ node }) => node)),
      kind === 'room' ? element('p', { class: 'quiet' }, text`A lamp that is in another room leaves it.`) : null),
    id ? element('div', { class: 'actions' }, button(kind === 'room' ? text`Delete room` : text`Delete zone`,
      () => openDelete(room))) : null].filter(Boolean)
  })
})

function openDelete(room) {
  const scenes = page.frame?.sections.find(({ id }) => id === `room/${room.id}`)?.scenes ?? []
  const names = scenes.map(({ title }) => isolated(title)).join(', ')
  const stop = closeWithout(room)
  openSheet({
    title: text`Delete ${isolated(room.name)}?`, back: openRooms, close: stop, content: [
      element('p', {}, text`Its lamps stay.`), names ? element('p', { dir: 'auto' }, text`These scenes go with it: ${names}.`) : '',
      element('div', { class: 'actions' }, button(text`Keep it`, openRooms), button(text`Delete`, async () => {
        // That it is gone is no news to who deletes it.
        stop()
        const isHere = here()
        await perform('delete_room', { room: room.id, kind: room.kind })
        if (isHere()) await openRooms()
      }, 'pill strong'))
    ]
  })
}

/** Somebody else may delete it meanwhile. */
function closeWithout({ id, name }) {
  const isThere = () => page.frame?.sections.some((section) => section.id === `room/${id}`)
  // One without lamps is not on the page.
  const wasThere = isThere()
  return page.follow(() => {
    if (!id || !wasThere || isThere() || !page.isConnected) return
    act(async () => {
      const { rooms } = await read()
      if (rooms.some((room) => room.id === id)) return
      closeSheet()
      showMessage(text`${isolated(name)} is gone.`)
    })
  })
}

// MARK: A lamp

/** Where it is, whether "All off" and the page leave it out, and what it does after a power cut. */
export const openLampSettings = (lamp) => openLamp(lamp.model.target, () => openMore(lamp))

const openLamp = (id, back) => opening(read, ({ rooms, lights }) => {
  const light = lights.find((light) => light.id === id)
  if (!light) return openRooms()
  const own = rooms.filter(({ bridge, kind }) => bridge === light.bridge && kind === 'room')
  const before = own.find((room) => room.lights.includes(id))?.id ?? ''
  const room = select('room', text`Room`, [...before ? [] : [['', text`In no room`]],
    ...own.map(({ id, name }) => [id, name])], before)
  const power = 'powerup' in light ? select('power', text`After a power cut`, [
    ...light.powerup === 'custom' ? [['custom', text`As set in another app`]] : [],
    ['safety', text`On, bright and warm`], ['powerfail', text`As it was before the power cut`],
    ['last_on_state', text`On, as it last was`]
  ], light.powerup) : null
  const stays = check(text`All off leaves it on`, '', Boolean(light.excluded_from?.includes('all_off')))
  const hides = check(text`Hide it from this page`, text`Everywhere, for everybody; it still obeys`,
    Boolean(light.excluded_from?.includes('page')))
  const exclude = async ({ box }, what) => {
    if (box.checked === Boolean(light.excluded_from?.includes(what))) return
    if (box.checked) await perform('exclude', { target: id, from: what })
    else await perform('include', { target: id, in: what })
  }
  const save = async () => {
    const isHere = here()
    if (room.value !== before) await perform('add_to_room', { room: room.value, targets: [id], kind: 'room' })
    if (power && power.value !== light.powerup) await perform('powerup', { target: id, preset: power.value })
    await exclude(stays, 'all_off')
    await exclude(hides, 'page')
    if (isHere()) closeSheet()
    showMessage(hides.box.checked ? text`${isolated(light.name)} is hidden. Rooms and lamps in the menu brings it back.`
      : text`Saved.`)
  }
  openSheet({
    title: light.name, place: light.room, back, content: [
      form(save, room.label, room.field, ...power ? [power.label, power.field] : [],
        element('div', { class: 'checks' }, stays.node, hides.node))
    ]
  })
})

// MARK: Fields

function form(save, ...fields) {
  const submit = once(save)
  return element('form', {
    class: 'form', submit: (event) => {
      event.preventDefault()
      submit()
    }
  }, ...fields, element('button', { class: 'pill strong', type: 'submit' }, text`Save`))
}

function check(words, hint, isChecked) {
  const box = element('input', { type: 'checkbox', checked: isChecked })
  return { box, node: element('label', { class: 'row' }, box, element('span', { class: 'grow', dir: 'auto' }, words),
    hint ? element('span', { class: 'quiet', dir: 'auto' }, hint) : null) }
}

/** `options`: `[value, words]`. */
function select(id, words, options, value) {
  const field = element('select', { id, dir: 'auto' },
    ...options.map(([of, words]) => element('option', { value: of, selected: of === value }, words)))
  return { field, label: element('label', { for: id }, words), get value() { return field.value } }
}
