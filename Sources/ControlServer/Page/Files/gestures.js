/** A finger that moves less than this, in pixels, is a tap. */
const slop = 10
const holdAfter = 500

/** The finger that has held is still down. When it is lifted, it hits nothing of what has opened beneath it. */
function ignoreRelease() {
  const gone = new AbortController()
  const ignore = (event) => {
    // A key or a screen reader clicks without a pointer.
    if (event.type !== 'touchend' && event.detail === 0) return
    event.preventDefault()
    // Its end is told to whoever waits for the finger to leave the page.
    if (event.type !== 'touchend') event.stopPropagation()
  }
  // A browser that takes it for a tap presses and clicks what lies there now; a slider goes there as it is pressed.
  for (const release of ['touchend', 'mousedown', 'mouseup', 'click']) {
    addEventListener(release, ignore, { capture: true, passive: false, signal: gone.signal })
  }
  addEventListener('pointerdown', () => gone.abort(), { capture: true, signal: gone.signal })
}

/**
 * Drags across an element: `start()`, `move(share, by)` with 0…1 of its width, and by how much of it the finger has
 * moved since `start`, `end()`. `hold()` comes for a finger that rests; without it, a finger may rest before it drags.
 * Moving up or down stays the browser's: the page scrolls. Returns whether the last pointer was more than a tap.
 * @param {HTMLElement} surface
 * @param {{ canDrag?: () => boolean, start?: () => void, move?: (share: number, by: number) => void, end?: () => void,
 *   hold?: () => void }} options
 */
export function followDrag(surface, { canDrag = () => true, start, move, end, hold }) {
  let pointer = null
  let [fromX, fromY] = [0, 0]
  let bounds = null
  /** Where the finger had drifted far enough: what is dragged does not jump. */
  let began = 0
  let isDragging = false
  let wasTap = true
  let holding = null

  const finish = () => {
    clearTimeout(holding)
    pointer = null
    if (isDragging) end()
    isDragging = false
  }

  surface.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || isDragging) return
    clearTimeout(holding)
    pointer = event.pointerId;
    [fromX, fromY] = [event.clientX, event.clientY]
    wasTap = true
    if (!hold) return
    holding = setTimeout(() => {
      if (pointer === null || isDragging) return
      wasTap = false
      finish()
      ignoreRelease()
      hold()
    }, holdAfter)
  })
  surface.addEventListener('pointermove', (event) => {
    if (event.pointerId !== pointer) return
    const [x, y] = [Math.abs(event.clientX - fromX), Math.abs(event.clientY - fromY)]
    if (!isDragging) {
      if (Math.max(x, y) > slop) clearTimeout(holding)
      if (x <= slop || x < y || !canDrag()) return
      // Measured once: reading it on every move would make the browser lay out the page again.
      bounds = surface.getBoundingClientRect()
      surface.setPointerCapture(pointer)
      began = fromX + Math.sign(event.clientX - fromX) * slop
      isDragging = true
      wasTap = false
      start()
    }
    const share = (event.clientX - bounds.left) / bounds.width
    move(Math.min(1, Math.max(0, share)), (event.clientX - began) / bounds.width)
  })
  surface.addEventListener('pointerup', (event) => { if (event.pointerId === pointer) finish() })
  // Until it drags, the pointer is not captured: it may be released elsewhere.
  surface.addEventListener('pointerleave', (event) => { if (event.pointerId === pointer && !isDragging) finish() })
  surface.addEventListener('pointercancel', (event) => { if (event.pointerId === pointer) finish() })
  // A finger belongs to the element beneath it until the surface takes it.
  surface.addEventListener('lostpointercapture', ({ target, pointerId }) => {
    if (target === surface && pointerId === pointer) finish()
  })
  // Otherwise a resting finger opens the browser's own menu.
  surface.addEventListener('contextmenu', (event) => event.preventDefault())
  return () => !wasTap
}

const steps = {
  ArrowRight: 0.01, ArrowUp: 0.01, ArrowLeft: -0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1, Home: -1, End: 1
}

/** By how much of the range a key moves a slider; `undefined` if it does not. */
export const stepOf = (key) => steps[key]

/**
 * The buttons in `bar`, also those that come later, are one stop of the Tab key; arrows, Home and End move among them.
 * `moved(button)` is called for the one that keys have led to. Returns what makes another the stop.
 */
export function rove(bar, moved = (button) => {}) {
  const buttons = () => [...bar.querySelectorAll('button:not([hidden])')]
  const stopAt = (chosen) => buttons().forEach((button) => { button.tabIndex = button === chosen ? 0 : -1 })
  const check = () => {
    const [first, ...rest] = buttons().filter(({ tabIndex }) => tabIndex === 0)
    const focused = buttons().find((button) => button === document.activeElement)
    if (!first || rest.length) stopAt(focused ?? first ?? buttons()[0])
  }
  new MutationObserver(check).observe(bar, { childList: true, subtree: true, attributeFilter: ['hidden'] })
  bar.addEventListener('focusin', ({ target }) => { if (target.closest('button')) stopAt(target.closest('button')) })
  bar.addEventListener('keydown', (event) => {
    const all = buttons()
    const from = all.indexOf(event.target)
    const forth = getComputedStyle(bar).direction === 'rtl' ? -1 : 1
    const step = { ArrowRight: forth, ArrowLeft: -forth, ArrowDown: 1, ArrowUp: -1 }[event.key]
    const to = { Home: 0, End: all.length - 1 }[event.key] ?? (step && (from + step + all.length) % all.length)
    if (from < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    all[to].focus()
    moved(all[to])
  })
  check()
  return stopAt
}
