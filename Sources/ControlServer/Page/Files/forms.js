import { act, once, opening } from './act.js'
import { perform, request } from './api.js'
import { element, setChildren, setText } from './dom.js'
import { page } from './page.js'
import { commandOf, outcome } from './outcome.js'
import { question } from './questions.js'
import { closeSheet, here, openSheet } from './sheet.js'
import { isolated, text } from './text.js'
import { ago, withHours } from './times.js'
import { hideToast, showMessage } from './toast.js'

const automations = '/v1/automations'
const ask = (body, options) => request('POST', `${automations}/forms`, body, options)
const pathOf = (name) => `${automations}?name=${encodeURIComponent(name)}`
const button = (type, words, click) => element('button', { class: type, type: 'button', click }, words)

/** Chooses what kind of automation to make. `back`: what the way back opens; `done`: what is opened when it is made. */
export const openNewAutomation = (back = null, done = back) => page.may('manage') &&
  opening(() => request('GET', `${automations}/forms`), (kinds) => showKinds(kinds, back, done))

function showKinds(kinds, back, done) {
  const open = (kind) =>
    opening(() => ask({ kind }), (model) => edit(model, () => showKinds(kinds, back, done), done))
  const row = ({ kind, title, text: hint, lacks }) => {
    const words = [element('b', {}, title), element('span', { class: 'quiet' }, lacks ?? hint)]
    return element('li', {}, lacks ? element('div', { class: 'row' }, element('div', { class: 'grow' }, ...words))
      : element('button', { class: 'row', type: 'button', click: () => open(kind) }, ...words))
  }
  openSheet({ title: text`New automation`, back, content: [element('ul', { class: 'rows' }, ...kinds.map(row))] })
}

/** Edits one, or shows its lines if no form can say it. */
export const openAutomation = (name, back = null) => page.may('manage') &&
  opening(() => ask({ automation: name }), (model) => edit(model, back, back, name))

/** `done`: opened when it is saved. `name`: of the automation that is edited; a new one has none. */
function edit(model, back, done, name = null) {
  /** What is filled in here; of a new one, what nobody has chosen is as usual. */
  const values = name === null ? {} : { ...model.values }
  let version = model.version
  let asking = null
  let answered = Promise.resolve()
  /** Whether somebody has answered anything. */
  let isFilled = false
  const shown = new Map()
  const questions = element('div', {
    class: 'questions', input: ({ target }) => { isFilled ||= target.closest('.own') !== null }
  })
  const lines = element('pre', { dir: 'auto' })
  const problem = element('p', { class: 'bad', role: 'alert', dir: 'auto' })
  const warnings = element('div', { class: 'warnings' })
  const would = outcome()
  const leave = () => (done ? done() : closeSheet())
  /** Of each sheet of the form: what is filled in can be gone back to. */
  const draft = { keeps: true, isLost: () => isFilled, again: show }

  function paint() {
    const nodes = model.questions.map((asked) => {
      const mark = JSON.stringify(asked)
      const known = shown.get(asked.key)
      if (known?.mark !== mark) {
        const made = { mark, ...question(asked, (value) => change(asked, value)) }
        shown.set(asked.key, made)
        made.show(model.values[asked.key] ?? '')
        // What has the focus keeps it, although its options are others now.
        if (known?.node.contains(document.activeElement)) {
          known.node.replaceWith(made.node)
          made.focus()
        }
        return made.node
      }
      known.show(model.values[asked.key] ?? '')
      return known.node
    })
    setChildren(questions, nodes)
    setText(lines, model.file ?? '')
    warnings.replaceChildren(...model.warnings.map((words) => element('p', { dir: 'auto' }, words)))
    would.show(model)
  }

  function change({ key, resets }, value) {
    if (!page.isConnected) return paint()
    isFilled = true
    values[key] = value
    resets.forEach((key) => delete values[key])
    asking?.abort()
    asking = new AbortController()
    answered = refresh(asking.signal)
  }

  async function refresh(signal) {
    try {
      model = await ask({ kind: model.kind, ...(name === null ? {} : { automation: name }), values }, { signal })
      setText(problem, '')
      paint()
    } catch (failure) {
      if (failure.name !== 'AbortError') setText(problem, failure.words ?? failure.message)
    }
  }

  const save = once(async () => {
    // A value that was just typed is in what is saved, or nothing is.
    /** @type {HTMLElement | null} */ (document.activeElement)?.blur()
    const isHere = here()
    await answered
    /** @type {HTMLInputElement | null} */
    const wrong = questions.querySelector('.own:not([hidden]) :is(input, select):invalid')
    if (wrong) return wrong.reportValidity()
    if (problem.textContent) return problem.scrollIntoView({ block: 'nearest' })
    try {
      const command = commandOf(model)
      if (command) await request('POST', '/v1/messages', command)
      else if (name === null) await request('PUT', automations, model.file, { headers: { 'If-None-Match': '*' } })
      else await request('PUT', pathOf(name), model.file, { headers: { 'If-Match': `"${version}"` } })
    } catch (failure) {
      if (failure.code === 'changed_since') return showConflict()
      if (failure.code !== 'name_taken') throw failure
      return setText(problem, text`Another automation has this name: choose another one.`)
    }
    if (isHere()) leave()
    showMessage(text`${isolated(model.values.name ?? model.title)} is saved.`)
  })

  /** Somebody else was faster: shows both, and overwrites neither without being told to. */
  const showConflict = () => opening(async () => {
    const theirs = await ask({ automation: name }).catch((failure) => {
      if (failure.status !== 404) throw failure
    })
    return { theirs, log: await request('GET', '/v1/log?feature=automations&limit=200') }
  }, ({ theirs, log }) => {
    const entry = log.reverse().find(({ text: words, outcome }) => outcome && words.includes(name))
    const both = (words, file) => [element('h3', {}, words), element('pre', { dir: 'auto' }, file)]
    const mine = () => {
      if (theirs) version = theirs.version
      else name = null
      save()
    }
    openSheet({
      title: text`Somebody was faster`, place: name, back: show, ...draft, content: [
        element('p', { dir: 'auto' }, entry ? theirs ? text`${isolated(entry.holder)} changed this: ${ago(entry.time)}.`
          : text`${isolated(entry.holder)} removed this: ${ago(entry.time)}.` : text`This was changed meanwhile.`),
        ...(theirs ? both(text`As it is now`, theirs.file) : []), ...both(text`As you would have it`, model.file),
        element('div', { class: 'actions' },
          theirs ? button('pill', text`Take what is there`, () => openAutomation(name, back))
            : button('pill', text`Leave it`, leave),
          button('pill strong', text`Save mine`, mine))
      ]
    })
  })

  const remove = () => openSheet({
    title: text`Remove this automation?`, place: name, back: show, ...draft, content: [
      element('p', {}, text`It does not run any more, and cannot be brought back. If it runs now, it is stopped.`),
      element('div', { class: 'actions' },
        button('pill', text`Keep it`, show), button('pill strong', text`Remove`, removeNow))
    ]
  })
  const removeNow = () => act(async () => {
    const isHere = here()
    await perform('remove_automation', { automation: name })
    if (isHere()) leave()
    showMessage(text`${isolated(name)} is removed.`)
  })

  /** The morning in twenty seconds, as it is filled in. Undo knows nothing of it; what was dark can be so again. */
  const rehearse = () => act(async () => {
    await answered
    const { lights: target } = model.values
    const lights = await request('GET', `/v1/lights?target=${encodeURIComponent(target)}`)
    const dark = lights.filter(({ power }) => power === 'off').map(({ id, power }) => ({ id, power }))
    if (!dark.length) return showMessage(text`The lights there are on already: a wake-up leaves them alone.`)
    await page.changeMany()
    await perform('wake', { target, over: 20_000 })
    showMessage(text`The light rises, for 20 seconds.`, button('', text`Off again`, () => act(async () => {
      hideToast()
      await page.changeMany()
      await perform('apply', { lights: dark })
    })))
  })

  function show() {
    const { kind, away } = model
    openSheet({
      title: kind ? model.title : name, place: kind && name, back, ...draft, close: () => would.stop(), content: [
        ...(kind ? [questions] : [
          element('p', { dir: 'auto' }, withHours(model.text)),
          element('p', { class: 'quiet' }, text`No form can say this automation. It can be changed as text, with lightctl.`)
        ]),
        !model.file ? null : kind ? element('details', {}, element('summary', {}, text`As text, for lightctl`), lines) : lines,
        name === null ? null : element('div', { class: 'actions' }, button('link', text`Remove…`, remove)),
        warnings,
        kind ? element('div', { class: 'foot' }, would.node, problem, element('div', { class: 'actions' },
          kind === 'wake_up' ? button('pill', text`Try it in 20 s`, rehearse) : null,
          button('pill strong', away ? text`Begin` : text`Save`, save))) : null
      ].filter(Boolean)
    })
    would.show(model)
  }

  paint()
  show()
}
