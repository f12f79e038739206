import { request } from './api.js'
import { byID, element, setText } from './dom.js'
import { openMenu } from './menu.js'
import { page } from './page.js'
import { endTime, rights } from './people.js'
import { openSheet } from './sheet.js'
import { hideSignIn, linkIn } from './signin.js'
import { isolated, text } from './text.js'

// Coming in: who lets whom in, what a device is called, the code that a camera sees, the home screen.

const agent = navigator.userAgent
const isApple = /iPhone|iPad/.test(agent)

/** What it may be called, unless somebody knows better. */
const suggestion = () => /iPhone/.exec(agent)?.[0] ?? /iPad/.exec(agent)?.[0]
  ?? (/Android/.test(agent) ? (/Mobile/.test(agent) ? text`Phone` : text`Tablet`) : text`Computer`)

/** Says who lets this device in, and for how long, and asks for its name. Ends when the home is to be shown. */
export const welcome = ({ access, by, ends }) => new Promise((resume) => {
  const message = element('p', { class: 'bad', role: 'alert' })
  const input = element('input', {
    id: 'device', value: suggestion(), maxlength: 64, required: true, autocomplete: 'off', 'aria-describedby': 'device-help'
  })
  const done = () => {
    hideSignIn()
    resume()
  }
  const submit = async (event) => {
    event.preventDefault()
    try {
      await request('PUT', '/v1/session', { name: input.value })
      done()
    } catch (failure) {
      setText(message, failure.words)
    }
  }
  const host = by ? isolated(by) : null
  const until = ends ? endTime(ends) : null
  byID('sign-in').replaceChildren(element('form', { class: 'form card welcome', submit },
    element('h2', {}, text`Welcome`),
    host ? element('p', {}, until ? text`${host} lets you in until ${until}.` : text`${host} lets you in.`)
      : until ? element('p', {}, text`You may come in until ${until}.`) : null,
    element('p', {}, rights(access)),
    element('label', { for: 'device' }, text`What is this device called?`), input,
    element('p', { class: 'quiet', id: 'device-help' }, text`The others read it, as in “Anna's phone turned off Kitchen”.`),
    message,
    element('button', { class: 'pill strong', type: 'submit' }, text`Come in`),
    element('button', { class: 'link', type: 'button', click: done }, text`Without a name`)))
  byID('sign-in').hidden = false
  input.focus()
  input.select()
})

/** The text of a link in the camera's picture; `null` if the reader gives up. Its picture stands before the button. */
export async function scan(button) {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  const video = element('video', { class: 'camera', playsinline: true, muted: true, 'aria-label': text`The camera's picture` })
  let isOver = false
  const stop = element('button', { class: 'link', type: 'button', click: () => { isOver = true } }, text`Cancel`)
  try {
    const detector = new (/** @type {any} */ (window).BarcodeDetector)({ formats: ['qr_code'] })
    video.srcObject = stream
    button.before(video, stop)
    button.hidden = true
    await video.play()
    while (!isOver && button.isConnected) {
      const codes = await detector.detect(video)
      const found = codes.map(({ rawValue }) => rawValue).find(linkIn)
      if (found) return found
      await new Promise((resume) => setTimeout(resume, 200))
    }
    return null
  } finally {
    stream.getTracks().forEach((track) => track.stop())
    video.remove()
    stop.remove()
    button.hidden = false
  }
}

/** What this browser needs to keep the page as an app. */
export function openInstall() {
  const say = (words) => element('p', {}, words)
  const install = page.install && element('div', { class: 'actions' }, element('button', {
    class: 'pill strong', type: 'button', click: async () => {
      // It can be made use of once, whatever the answer is.
      const offer = page.install
      page.install = null
      await offer?.prompt()
      openMenu()
    }
  }, text`Install`))
  const content = install ? [say(text`It opens from the home screen, without the browser around it.`), install]
    : isApple ? [
      say(text`Tap Share in Safari, then “Add to Home Screen”.`),
      say(text`The app on the home screen is signed in anew: make a new link on a phone that may add others, copy it, and paste it there.`)]
      : window.isSecureContext ? [say(text`Open the browser's own menu, and choose “Install” or “Add to home screen”.`)] : [
        say(text`Browsers install only pages with encryption, and this address (http://) has none.`),
        say(text`lightd can encrypt it with a certificate: “TLS” in its manual, docs/operations.md, says how. Until then the browser's menu makes a shortcut: “Add to home screen”.`)]
  openSheet({ title: text`Install as an app`, back: openMenu, content })
}
