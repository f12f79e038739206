import { request } from './api.js'
import { byID, element, setText } from './dom.js'

/** The secret of a one-time link, if the address holds one. It is taken out of the address, and so of the history. */
export function takeLink() {
  const link = /^#join=(.+)$/.exec(location.hash)?.[1] ?? null
  if (link) history.replaceState(null, '', location.pathname)
  return link
}

/** A browser that is signed in keeps its session, and the link stays as it is, unless it is to be replaced. */
export const redeem = (link, replace = false) => signIn({ link, replace },
  "A phone that is signed in can show a new one: 'Add a phone' in its menu. On lightd's machine, 'lightctl open' does.")

/** `hint`: what to do if it is refused. */
async function signIn(body, hint) {
  try {
    return await request('POST', '/v1/session', body)
  } catch (failure) {
    if (failure.status === 401) failure.hint = hint
    throw failure
  }
}

/** Asks for a token, and calls `done` when it has been taken. */
export function showSignIn(done, failure = null) {
  const message = element('p', { class: 'bad', role: 'alert' }, failure?.words ?? '')
  const input = element('input', {
    id: 'token', type: 'password', autocomplete: 'current-password', required: true, spellcheck: 'false',
    'aria-describedby': 'token-help'
  })
  const button = element('button', { class: 'pill strong', type: 'submit' }, 'Sign in')
  const submit = async (event) => {
    event.preventDefault()
    button.disabled = true
    setText(message, '')
    try {
      // It is asked for only when nobody is signed in. Who has become so since, in another tab, gives way.
      await signIn({ token: input.value.trim(), replace: true }, 'Check that all of it was pasted.')
      hideSignIn()
      done()
    } catch (failure) {
      setText(message, failure.words)
      input.select()
    } finally {
      button.disabled = false
    }
  }
  byID('sign-in').replaceChildren(element('form', { class: 'form card', submit },
    element('h2', {}, 'Sign in'),
    element('p', { class: 'quiet', id: 'token-help' }, 'Paste an access token, or open the link that ',
      element('code', {}, 'lightctl open'), ' prints. A phone that is signed in can show a link as a code, too.'),
    element('label', { for: 'token' }, 'Access token'), input, message, button))
  byID('sign-in').hidden = false
  input.focus()
}

export function hideSignIn() {
  byID('sign-in').hidden = true
  byID('sign-in').replaceChildren()
}
