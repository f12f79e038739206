import { perform } from './api.js'
import { drawing, element, setAttribute, setChildren, setStyle } from './dom.js'
import { page } from './page.js'
import { say, showFailure } from './toast.js'

/**
 * Handles on the tiles of the pinned section, by which they are put in another order: dragged, or moved with the arrow
 * keys. `views` are its tiles in their order; returns a function that takes the handles off again.
 */
export function arrange(grid, views) {
  const order = [...views]
  const handles = new Map(views.map((view) => {
    const handle = element('button', { class: 'handle', type: 'button', 'data-key': view.lamp.model.key },
      drawing('M8 6h.01M8 12h.01M8 18h.01M16 6h.01M16 12h.01M16 18h.01'))
    view.node.append(handle)
    follow(handle, view)
    return [view, handle]
  }))
  // A pin whose lamp is not known has a place, too, but no tile.
  const places = views.map(({ lamp }, index) => lamp.model.pin ?? index + 1)

  let cancel = () => {}

  label()
  grid.classList.add('arranging')
  return () => {
    cancel()
    grid.classList.remove('arranging')
    handles.forEach((handle) => handle.remove())
  }

  function label() {
    order.forEach((view, index) => setAttribute(handles.get(view), 'aria-label',
      `Move ${view.lamp.model.title}, ${index + 1} of ${order.length}`))
  }

  function put(view, index) {
    const from = order.indexOf(view)
    if (index === from || index < 0 || index >= order.length) return false
    order.splice(index, 0, ...order.splice(from, 1))
    // Only to the eye: a node that is put elsewhere in the document loses its pointer.
    order.forEach((view, index) => setStyle(view.node, 'order', String(index)))
    return true
  }

  async function send(view) {
    setChildren(grid, order.map((view) => view.node))
    order.forEach((view) => view.node.style.removeProperty('order'))
    label()
    const index = order.indexOf(view)
    const pinned = page.frame.sections.find(({ kind }) => kind === 'pinned')
    // Until lightd reports it: what is painted meanwhile already has the new order.
    if (pinned) pinned.tiles = order.map((view) => view.lamp.model.key)
    say(`${view.lamp.model.title}: place ${index + 1} of ${order.length}.`)
    try {
      await perform('move', { target: view.lamp.model.target, place: places[index] })
    } catch (failure) {
      showFailure(failure)
    }
  }

  function follow(handle, view) {
    let slots = null
    let from = 0
    handle.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || !page.isConnected) return
      cancel()
      cancel = () => {
        // Not now: the page is taking the handles off.
        if (end()) queueMicrotask(() => page.letGo())
      }
      slots = order.map((view) => view.node.getBoundingClientRect())
      from = order.indexOf(view)
      handle.setPointerCapture(event.pointerId)
      view.node.classList.add('moving')
      page.hold()
    })
    handle.addEventListener('pointermove', ({ clientX, clientY }) => {
      if (!slots) return
      const index = slots.findIndex(({ left, right, top, bottom }) =>
        clientX >= left && clientX <= right && clientY >= top && clientY <= bottom)
      if (index >= 0) put(view, index)
    })
    const end = () => {
      const wasMoving = slots !== null
      slots = null
      view.node.classList.remove('moving')
      return wasMoving
    }
    const drop = () => {
      if (!end()) return
      // The page goes on without the answer, which may never come.
      if (order.indexOf(view) !== from) send(view)
      page.letGo()
    }
    handle.addEventListener('pointerup', drop)
    handle.addEventListener('pointercancel', drop)
    handle.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key]
      if (by === undefined || !page.isConnected) return
      event.preventDefault()
      if (!put(view, order.indexOf(view) + by)) return
      send(view)
      handle.focus()
    })
  }
}
