import { request, sentence } from './api.js'
import { element, setText } from './dom.js'
import { openMenu } from './menu.js'
import { openSheet } from './sheet.js'
import { clockTime } from './times.js'

export function openLink() {
  const choice = (access, words, hint) => element('li', {}, element('button', {
    class: 'row', type: 'button', click: () => makeLink(access)
  }, element('b', {}, words), element('span', { class: 'quiet' }, hint)))
  openSheet({
    title: 'Add a phone', back: openMenu,
    content: [
      element('p', {}, 'What may it do?'),
      element('ul', { class: 'rows' }, choice('full', 'Everything', 'Switch and change lights, pair bridges, add phones'),
        choice('control', 'Lights and scenes', 'Switch and change lights, read the log'),
        choice('look', 'Look only', 'See what is on, and why'))
    ]
  })
}

async function makeLink(access) {
  const gone = new AbortController()
  const content = element('div', { class: 'phone', 'aria-busy': 'true' }, element('div', { class: 'working' }))
  openSheet({ title: 'Add a phone', back: openLink, content: [content], close: () => gone.abort() })
  try {
    const { signal } = gone
    const { url, also = [], expires, qr, hint } = await request('POST', '/v1/links', { access }, { signal })
    const copied = element('span', { role: 'status', class: 'quiet' })
    // Browsers offer the clipboard to pages over TLS and from localhost only.
    const copy = navigator.clipboard ? element('button', { class: 'pill', type: 'button', click: async () => {
      try {
        await navigator.clipboard.writeText(url)
        setText(copied, 'Copied.')
      } catch {
        setText(copied, 'The browser does not allow it: select the link and copy it.')
      }
    } }, 'Copy link') : null
    // With a hint no phone can open it, and a code would lead nowhere.
    const use = hint ? '' : "Scan it with the phone's camera. "
    const state = element('p', { role: 'status' }, `${use}It works once, until ${clockTime(expires)}.`)
    content.replaceChildren(
      hint ? element('p', { class: 'bad' }, sentence(hint)) : '',
      qr && !hint ? drawCode(qr) : '',
      state,
      element('p', { class: 'address' }, url),
      ...also.map((url) => element('p', { class: 'address' }, url)),
      element('div', { class: 'actions' }, copy, copied))
    content.removeAttribute('aria-busy')
    const user = await userOf(signal, expires)
    content.replaceChildren(element('p', { role: 'status', dir: 'auto' },
      user ? `The link was used: ${user} is signed in.` : 'The time of the link is over.'))
  } catch (failure) {
    if (failure.name === 'AbortError') return
    content.replaceChildren(element('p', { role: 'alert' }, failure.words))
  }
  content.removeAttribute('aria-busy')
}

/** Waits for who signs in through this page; `null` if nobody has when the link's time is over. */
async function userOf(signal, expires) {
  const made = async () => (await request('GET', '/v1/session', undefined, { signal })).ends_with_it ?? []
  const before = new Set(await made())
  while (Date.now() < new Date(expires)) {
    await new Promise((resume) => setTimeout(resume, 2000))
    // The page itself says that lightd is away, and comes back to it.
    const now = await made().catch((failure) => {
      if (failure.name === 'AbortError') throw failure
      return []
    })
    const user = now.find((name) => !before.has(name))
    if (user) return user
  }
  return null
}

/** Dark on white in either scheme, with the quiet zone of four modules that scanners need. */
function drawCode({ size, rows }) {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  const path = document.createElementNS(space, 'path')
  const runs = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map(({ index, 0: run }) =>
    `M${index + 4} ${y + 4}h${run.length}v1h-${run.length}z`))
  path.setAttribute('d', runs.join(''))
  svg.setAttribute('viewBox', `0 0 ${size + 8} ${size + 8}`)
  svg.setAttribute('class', 'code')
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', 'The link as a QR code')
  svg.setAttribute('shape-rendering', 'crispEdges')
  svg.append(path)
  return svg
}
