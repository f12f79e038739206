import { page } from './page.js'
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

/**
 * A function of a module that is fetched when it is first called: what most visits do not open costs the first paint
 * nothing. `load`: `() => import('./file.js')`.
 */
export const lazily = (load, name) => (...given) => act(async () => (await load())[name](...given))
