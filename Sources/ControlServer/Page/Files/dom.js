/**
 * The element with this id, of whatever kind.
 * @type {(id: string) => any}
 */
export const byID = (id) => document.getElementById(id)

/**
 * Makes an element. Functions become listeners (`{click: f}`), true and false set and clear attributes, everything else
 * is an attribute. Children are nodes or text, never markup: names come from bridges.
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value)
    else setAttribute(made, name, value)
  }
  made.append(...children.filter((child) => child !== null && child !== undefined))
  return made
}

/** Calls it when the window has loaded, or now: a page that first reads its catalogue begins after that. */
export const whenLoaded = (action) => document.readyState === 'complete' ? action() : addEventListener('load', action)

/** An SVG drawing of strokes. It stands beside what says it in words. */
export function drawing(path, viewBox = '0 0 24 24') {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const stroke = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  svg.setAttribute('viewBox', viewBox)
  svg.setAttribute('aria-hidden', 'true')
  stroke.setAttribute('d', path)
  svg.append(stroke)
  return svg
}

// What stands there already is not written again: an unchanged text costs no layout and is not announced.

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

export function setAttribute(node, name, value) {
  if (value === false || value === null || value === undefined) {
    if (node.hasAttribute(name)) node.removeAttribute(name)
  } else {
    const text = value === true ? '' : String(value)
    if (node.getAttribute(name) !== text) node.setAttribute(name, text)
  }
}

export function setStyle(node, name, value) {
  if (node.style.getPropertyValue(name) !== value) node.style.setProperty(name, value)
}

/** Makes these the node's children, in this order, and touches only those that are not in place. */
export function setChildren(node, children) {
  const wanted = new Set(children)
  for (const child of [...node.children]) if (!wanted.has(child)) child.remove()
  children.forEach((child, index) => {
    if (node.children[index] !== child) node.insertBefore(child, node.children[index] ?? null)
  })
}
