import { page } from './page.js'
import { here } from './sheet.js'
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

/**
 * A function of a module that is fetched when it is first called: what most visits do not open costs the first paint
 * nothing. `load`: `() => import('./file.js')`.
 */
export const lazily = (load, name) => (...given) => opening(load, (module) => module[name](...given))
