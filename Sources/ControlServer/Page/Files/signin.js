import { Failure, request } from './api.js'
import { byID, element, setText } from './dom.js'
import { text } from './text.js'

/** The secret of a one-time link, if the address holds one. It is taken out of the address, and so of the history. */
export function takeLink() {
  const link = /^#join=(.+)$/.exec(location.hash)?.[1] ?? null
  if (link) history.replaceState(null, '', location.pathname)
  return link
}

/** The secret of a link that was pasted or scanned, whatever stands around it; `null` if there is none. */
export const linkIn = (words) => /#join=([\w-]+)/.exec(words)?.[1] ?? null

/** A browser that is signed in keeps its session, and the link stays as it is, unless it is to be replaced. */
export const redeem = (link, replace = false) => signIn({ link, replace },
  text`This link was used already, or its time is over.`,
  text`A phone that is signed in can show a new one: “People and phones” in its menu. On lightd's machine, “lightctl open” does.`)

/** `words`, `hint`: what is said if it is refused, and what to do. */
async function signIn(body, words, hint) {
  try {
    return await request('POST', '/v1/session', body)
  } catch (failure) {
    throw failure.status === 401 ? new Failure(words, { ...failure, hint }) : failure
  }
}

/** Asks for a link or a token, and calls `done` with the session when it has been taken. */
export function showSignIn(done, failure = null) {
  const message = element('p', { class: 'bad', role: 'alert' }, failure?.words ?? '')
  const input = element('input', {
    id: 'token', type: 'password', autocomplete: 'current-password', required: true, spellcheck: 'false',
    'aria-describedby': 'token-help'
  })
  const button = element('button', { class: 'pill strong', type: 'submit' }, text`Sign in`)
  const enter = async (pasted) => {
    button.disabled = true
    setText(message, '')
    try {
      // It is asked for only when nobody is signed in. Who has become so since, in another tab, gives way.
      const link = linkIn(pasted)
      done(link ? await redeem(link, true) : await signIn({ token: pasted.trim(), replace: true },
        text`lightd does not know this code.`, text`Check that all of it was pasted.`))
    } catch (failure) {
      setText(message, failure.words)
      input.select()
    } finally {
      button.disabled = false
    }
  }
  const submit = (event) => {
    event.preventDefault()
    enter(input.value)
  }
  // Browsers offer the camera to pages over TLS and from localhost only, and few can read codes.
  const scan = 'BarcodeDetector' in window && navigator.mediaDevices ? element('button', {
    class: 'pill', type: 'button', click: async () => {
      setText(message, '')
      try {
        const link = await (await import('./welcome.js')).scan(scan)
        if (link) await enter(link)
      } catch {
        setText(message, text`The camera cannot be used here. Paste the link instead.`)
      }
    }
  }, text`Scan the code`) : null
  byID('sign-in').replaceChildren(element('form', { class: 'form card', submit },
    element('h2', {}, text`Sign in`),
    element('p', { class: 'quiet', id: 'token-help' },
      text`Paste a link or an access code. A phone that is signed in shows a link: “People and phones” in its menu. On lightd's machine, “lightctl open” does.`),
    element('label', { for: 'token' }, text`Link or access code`), input, message, button, scan))
  byID('sign-in').hidden = false
  input.focus()
}

export function hideSignIn() {
  byID('sign-in').hidden = true
  byID('sign-in').replaceChildren()
}
