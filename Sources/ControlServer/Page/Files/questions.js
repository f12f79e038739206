import { element, setAttribute } from './dom.js'
import { text } from './text.js'
import { withHours } from './times.js'

/**
 * A question of a form, as lightd asks it: `{node, show(value), focus()}`. `change` is told each answer, a text.
 */
export function question(asked, change) {
  const made = makers[asked.kind](asked, change)
  const first = () => made.node.querySelector('input:checked') ?? made.node.querySelector('input, button')
  return { focus: () => first()?.focus(), ...made }
}

const makers = { choice, several, time: field, text: field, flag }

const legend = ({ title, hint }) => [
  element('legend', {}, title), hint ? element('p', { class: 'quiet', dir: 'auto' }, withHours(hint)) : null
]
const chip = (type, attributes, words, name = null) => {
  const input = element('input', { type, ...attributes, 'aria-label': name })
  return [input, element('label', { class: 'chip' }, input, element('span', { dir: 'auto' }, words))]
}

/** Ready answers, and behind "Other…" more of them and a value of one's own. */
function choice(asked, change) {
  const { key, options, more, own } = asked
  const name = `form-${key}`
  const chips = options.map(({ value, title }) => chip('radio', { name, value, change: () => change(value) },
    withHours(title)))
  const fields = element('div', { class: 'own', hidden: true })
  const [input] = own ? [ownField(own, change)] : []
  const select = more.length ? element('select', {
    'aria-label': asked.title, required: !own, change: () => { if (select.value) change(select.value) }
  }, element('option', { value: '' }, text`Choose…`),
  ...more.map(({ value, title }) => element('option', { value }, title))) : null
  fields.append(...[select, input && element('label', {}, element('span', {}, own.title), input)].filter(Boolean))
  const reveal = () => {
    fields.hidden = false
    ;(select ?? input).focus()
  }
  const [other, otherChip] = chip('radio', { name, value: '\n', change: reveal }, text`Other…`)
  return {
    node: element('fieldset', { class: 'choice' }, ...legend(asked), ...chips.map(([, node]) => node),
      ...(fields.firstChild ? [otherChip, fields] : [])),
    show(value) {
      const known = chips.find(([input]) => input.value === value)?.[0]
      // Somebody looks for another one: that is left open.
      if (known && other.checked && fields.contains(document.activeElement)) return
      ;(known ?? other).checked = true
      fields.hidden = Boolean(known)
      if (!known && input) input.value = value
    }
  }
}

const types = { number: 'number', time: 'time', moment: 'datetime-local' }

function ownField({ kind, least, most }, change) {
  const input = element('input', {
    type: types[kind], min: least, max: most, required: true, inputmode: kind === 'number' ? 'numeric' : null,
    change: () => { if (input.reportValidity()) change(input.value) }
  })
  return input
}

/** Any of the options. Days need one, and are as short as calendars have them. */
function several(asked, change) {
  const isDays = asked.key === 'days'
  const chips = asked.options.map(({ value, title }) => chip('checkbox', {
    value, change: ({ target }) => {
      const chosen = chips.filter(([input]) => input.checked).map(([input]) => input.value)
      if (isDays && !chosen.length) target.checked = true
      else change(chosen.join('\n'))
    }
  }, isDays ? title.slice(0, 2) : title, isDays ? title : null))
  return {
    node: element('fieldset', { class: isDays ? 'choice days' : 'choice' }, ...legend(asked),
      ...chips.map(([, node]) => node)),
    show(value) {
      const chosen = value.split('\n')
      chips.forEach(([input]) => { input.checked = chosen.includes(input.value) })
    }
  }
}

function field({ kind, title, hint }, change) {
  const input = element('input', {
    type: kind, required: true, maxlength: kind === 'text' ? 100 : null, dir: kind === 'text' ? 'auto' : null,
    change: () => { if (input.reportValidity()) change(input.value.trim()) }
  })
  return {
    node: element('div', { class: 'own' }, element('label', {}, element('span', {}, title), input),
      hint ? element('p', { class: 'quiet' }, withHours(hint)) : null),
    show(value) { if (document.activeElement !== input) input.value = value }
  }
}

function flag({ title }, change) {
  const knob = element('button', {
    class: 'switch', type: 'button', role: 'switch', 'aria-label': title,
    click: () => {
      const isOn = knob.getAttribute('aria-checked') !== 'true'
      setAttribute(knob, 'aria-checked', String(isOn))
      change(String(isOn))
    }
  }, element('i'))
  return {
    node: element('div', { class: 'line' }, element('span', {}, title), knob),
    show(value) { setAttribute(knob, 'aria-checked', value) }
  }
}
