/**
 * What this browser keeps; for this visit only, if it keeps nothing. `understood(found)` makes a value of whatever is
 * found there: others can write there, and so can a later version of the page.
 * @template Value
 * @param {string} name
 * @param {(found: any) => Value} understood
 */
export function kept(name, understood) {
  const read = () => {
    try {
      return understood(JSON.parse(localStorage.getItem(name)))
    } catch {
      return understood(null)
    }
  }
  let value = read()
  // Another tab has kept something else.
  addEventListener('storage', () => { value = read() })
  return {
    get value() { return value },
    keep(newest) {
      value = newest
      try {
        localStorage.setItem(name, JSON.stringify(value))
      } catch {
        // A browser that keeps nothing: it lasts until the page is left.
      }
    }
  }
}

/** Those of what was found that are texts. */
export const texts = (found) => Array.isArray(found) ? found.filter((one) => typeof one === 'string') : []
