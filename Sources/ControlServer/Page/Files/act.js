import { Failure } from './api.js'
import { page } from './page.js'
import { here } from './sheet.js'
import { text } from './text.js'
import { showFailure } from './toast.js'

/** Does it unless lightd is away, and says what went wrong. */
export async function act(action) {
  if (!page.isConnected) return
  try {
    await action()
  } catch (failure) {
    showFailure(failure)
  }
}

/** Reads what a sheet needs, and opens it unless the reader has gone elsewhere meanwhile. */
export const opening = (read, open) => act(async () => {
  const isHere = here()
  const found = await read()
  if (isHere()) await open(found)
})

/** The same as a button does it: what is asked again before it is done is meant once. */
export const once = (action) => {
  let isBusy = false
  return async (...given) => {
    if (isBusy) return
    isBusy = true
    try {
      await act(() => action(...given))
    } finally {
      isBusy = false
    }
  }
}

/** A module. One of lightd's older files may be gone, and the browser's own words for that are for nobody. */
export const fetched = (load) => load().catch((cause) => {
  console.warn(cause)
  throw new Failure(text`This part of the page cannot be loaded. Reload the page.`)
})

/**
 * A function of a module that is fetched when it is first called: what most visits do not open costs the first paint
 * nothing. `load`: `() => import('./file.js')`.
 */
export const lazily = (load, name) => (...given) =>
  opening(() => fetched(load), (module) => module[name](...given))
