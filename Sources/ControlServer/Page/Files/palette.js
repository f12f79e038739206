import { swatches } from './controls.js'
import { kept } from './kept.js'
import { css, glowOf } from './lamp.js'
import { page } from './page.js'
import { isolated, text } from './text.js'

// Colours, whites and effects by the names that people have for them.

/**
 * Degrees, per cent, name.
 * @type {[number, number, string][]}
 */
const presets = [
  [6, 88, text`Red`], [24, 88, text`Orange`], [38, 80, text`Amber`], [54, 75, text`Yellow`],
  [85, 70, text`Light green`], [135, 80, text`Green`], [190, 80, text`Turquoise`], [232, 85, text`Blue`],
  [260, 70, text`Indigo`], [284, 75, text`Violet`], [325, 70, text`Pink`], [10, 25, text`Rosé`]
]
const [most, longest] = [6, 6]
const recent = kept('colours', (found) => Array.isArray(found)
  ? found.filter((one) => Number.isFinite(one?.hue) && Number.isFinite(one?.saturation)) : [])

const isSame = (one, other) => apart(one, other) < 5
/** How far two colours lie apart on the disk of all: in the middle is white. */
const apart = (one, other) => {
  const { hypot, cos, PI } = Math
  const [a, b, turn] = [one.saturation, other.saturation, (one.hue - other.hue) * PI / 180]
  return hypot(a - b * cos(turn), b * Math.sin(turn))
}

/** The nearest name: for what lightd has not named yet, because nothing shows it. */
export function colorName(color) {
  if (color.saturation < 12) return text`White`
  const distance = (preset) => apart(color, { hue: preset[0], saturation: preset[1] })
  return presets.reduce((one, other) => distance(other) < distance(one) ? other : one)[2]
}

/** Remembers a colour that was set, unless it is one of those that are always there. */
export function remember(color) {
  if (!color) return
  const { hue, saturation } = color
  if (presets.some(([hue, saturation]) => isSame(color, { hue, saturation }))) return
  recent.keep([{ hue, saturation }, ...recent.value.filter((other) => !isSame(other, color))].slice(0, longest))
}

/** Those that other lamps show now, of the same room first. */
function shownElsewhere(lamp) {
  const found = []
  const lights = [...page.lamps.values()].map(({ shown }) => shown)
    .filter(({ kind, key, state, moves }) => kind === 'light' && key !== lamp.model.key && state === 'on' && !moves)
    .sort((one, other) => Number(other.place === lamp.model.place) - Number(one.place === lamp.model.place))
  for (const { title, mode, color, gradient } of lights) {
    const points = mode === 'gradient' ? gradient?.points ?? [] : mode === 'color' && color ? [color] : []
    for (const point of points) {
      if (found.some((other) => isSame(point, other))) continue
      found.push({ ...point, name: text`${colorName(point)}, from ${isolated(title)}` })
    }
  }
  return found.slice(0, most)
}

/**
 * Rows of colours to pick one of. They stand still while the sheet is open. `set(hue, saturation)`; `paint(color)`
 * marks the one that is shown, or none.
 */
export function colours(lamp, set) {
  const others = shownElsewhere(lamp)
  const own = recent.value.filter((color) => !others.some((other) => isSame(color, other)))
    .map((color) => ({ ...color, name: text`${colorName(color)}, used before` }))
  const row = (label, colors) => colors.length ? [swatches(label, colors.map((color) => ({
    ...color, glow: css(color.hue, color.saturation), choose: () => set(color.hue, color.saturation)
  })), lamp)] : []
  const rows = [
    ...row(text`Recent, and from other lamps`, [...own, ...others]),
    ...row(text`Palette`, presets.map(([hue, saturation, name]) => ({ hue, saturation, name })))
  ]
  return {
    nodes: rows.map(({ node }) => node),
    paint: (color) => rows.forEach((row) => row.show((one) => color !== null && isSame(one, color)))
  }
}

/** Mirek, name. */
const feelings = [[454, text`Candle`], [370, text`Evening`], [250, text`Work`], [154, text`Daylight`]]
/** So far from its range, a lamp still comes close to it. */
const near = 25

/** Whites by what they are for. */
export function whites(lamp, set) {
  const { white } = lamp.model
  const { coolest, warmest } = white
  const row = swatches(text`White by feeling`, feelings
    .filter(([mirek]) => mirek > coolest - near && mirek < warmest + near)
    .map(([wanted, name]) => {
      const mirek = Math.min(warmest, Math.max(coolest, wanted))
      return { mirek, name, glow: glowOf({ ...white, mirek }), label: name, choose: () => set(mirek) }
    }), lamp)
  return { node: row.node, paint: (mirek) => row.show((one) => mirek !== null && Math.abs(one.mirek - mirek) < 4) }
}

const effects = {
  none: text`None`, candle: text`Candle`, fire: text`Fire`, prism: text`Prism`, sparkle: text`Sparkle`,
  opal: text`Opal`, glisten: text`Glisten`, underwater: text`Underwater`, cosmos: text`Cosmos`,
  sunbeam: text`Sunbeam`, enchant: text`Enchant`, sunrise: text`Sunrise`, sunset: text`Sunset`
}

/** An effect in people's words; one that is newer than this page by its bridge's. */
export const effectName = (name) => Object.hasOwn(effects, name) ? effects[name] : name

const arrangements = {
  linear: text`Once`, mirrored: text`Mirrored`, random: text`Scattered`, segmented: text`In segments`
}

/** How a strip arranges its colours. */
export const arrangementName = (mode) => arrangements[mode] ?? mode
