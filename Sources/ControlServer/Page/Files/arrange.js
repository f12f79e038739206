import { drawing, element, setAttribute, setChildren, setStyle } from './dom.js'
import { page } from './page.js'
import { text } from './text.js'
import { say } from './toast.js'

/** So near to the edge of the screen, in pixels, a finger scrolls the page. */
const edge = 72

/**
 * Handles by which the parts of `grid` are put in another order: dragged, or moved with the arrow keys. A part has its
 * `node`, and `title()`. `settle(order, part)` is called with the new order when a part was put elsewhere. Returns a
 * function that takes the handles off again.
 */
export function arrange(grid, parts, settle) {
  const order = [...parts]
  const handles = new Map(parts.map((part) => {
    const handle = element('button', { class: 'handle', type: 'button' },
      drawing('M8 6h.01M8 12h.01M8 18h.01M16 6h.01M16 12h.01M16 18h.01'))
    part.node.append(handle)
    follow(handle, part)
    return [part, handle]
  }))
  let cancel = () => {}

  label()
  grid.classList.add('arranging')
  return () => {
    cancel()
    grid.classList.remove('arranging')
    handles.forEach((handle) => handle.remove())
  }

  function label() {
    order.forEach((part, index) => setAttribute(handles.get(part), 'aria-label',
      text`Move ${part.title()}, ${index + 1} of ${order.length}`))
  }

  function put(part, index) {
    const from = order.indexOf(part)
    if (index === from || index < 0 || index >= order.length) return false
    order.splice(index, 0, ...order.splice(from, 1))
    // Only to the eye: a node that is put elsewhere in the document loses its pointer.
    order.forEach(({ node }, index) => setStyle(node, 'order', String(index)))
    return true
  }

  function send(part) {
    setChildren(grid, [...grid.children].filter((node) => !order.some((part) => part.node === node))
      .concat(order.map(({ node }) => node)))
    order.forEach(({ node }) => node.style.removeProperty('order'))
    label()
    say(text`${part.title()}: place ${order.indexOf(part) + 1} of ${order.length}.`)
    settle(order, part)
  }

  function follow(handle, part) {
    let slots = null
    let [from, scrolled, x, y] = [0, 0, 0, 0]
    /** Under which of the places the finger is, however far the page was scrolled since. */
    const place = () => {
      const top = y + scrollY - scrolled
      const index = slots.findIndex((slot) =>
        x >= slot.left && x <= slot.right && top >= slot.top && top <= slot.bottom)
      if (index >= 0) put(part, index)
    }
    const scroll = () => {
      const by = y < edge ? -12 : y > innerHeight - edge ? 12 : 0
      if (!slots || !by) return isScrolling = false
      scrollBy({ top: by, behavior: /** @type {ScrollBehavior} */ ('instant') })
      place()
      requestAnimationFrame(scroll)
    }
    let isScrolling = false
    handle.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || !page.isConnected) return
      cancel()
      cancel = () => {
        // Not now: the page is taking the handles off.
        if (end()) queueMicrotask(() => page.letGo())
      }
      slots = order.map(({ node }) => node.getBoundingClientRect())
      scrolled = scrollY
      from = order.indexOf(part)
      handle.setPointerCapture(event.pointerId)
      part.node.classList.add('moving')
      page.hold()
    })
    handle.addEventListener('pointermove', (event) => {
      if (!slots) return
      [x, y] = [event.clientX, event.clientY]
      place()
      if (isScrolling) return
      isScrolling = true
      scroll()
    })
    const end = () => {
      const wasMoving = slots !== null
      slots = null
      part.node.classList.remove('moving')
      return wasMoving
    }
    const drop = () => {
      if (!end()) return
      // The page goes on without the answer, which may never come.
      if (order.indexOf(part) !== from) send(part)
      page.letGo()
    }
    handle.addEventListener('pointerup', drop)
    handle.addEventListener('pointercancel', drop)
    handle.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key]
      if (by === undefined || !page.isConnected) return
      event.preventDefault()
      if (!put(part, order.indexOf(part) + by)) return
      send(part)
      handle.focus()
    })
  }
}
