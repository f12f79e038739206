/** What a session may do, by its access; what it may not is not offered. */
const rights = { full: ['change', 'log', 'manage'], control: ['change', 'log'], look: [], read_only: ['log'] }

const unconnected = new AbortController()
unconnected.abort()

/** What the parts of the page share. `app.js` keeps it true and fills in its functions. */
export const page = {
  access: null,
  /** An unknown access allows nothing. */
  may(right) { return rights[page.access]?.includes(right) ?? false },
  isConnected: false,
  /** Aborted when the page's connection ends: what is read beside it is as dead, and may not notice. */
  connection: unconnected.signal,
  /** The newest model, without its tiles; `null` until it has come. */
  frame: null,
  /** Every lamp and room by its tile's key. */
  lamps: new Map(),
  /** Those that may come back: lightd was started anew, and their bridge has not told its lights yet. */
  awaited: new Map(),
  /** Whether it has a tile, or may get it back. */
  has(lamp) { return [page.lamps, page.awaited].some((lamps) => lamps.get(lamp.model.key) === lamp) },
  /** Who is signed in, as `/v1/session` says. */
  session: null,
  /** When this page last changed many lights at once: its own changes are not announced. */
  changedAt: -Infinity,
  /** A finger is on the page: nothing changes its place until `letGo`. */
  hold() {},
  letGo() {},
  /** What was set here and waits to be confirmed gives way to what lightd reports. */
  giveWay() { page.lamps.forEach((lamp) => lamp.giveWay()) },
  /** Ends when lightd has answered all that was set here: a command that is sent then is newer for lightd, too. */
  async finish() { await Promise.all([...page.lamps.values()].map((lamp) => lamp.finish())) },
  /** Many lights are about to change by a command of this page. */
  async changeMany() {
    page.changedAt = performance.now()
    await page.finish()
    page.giveWay()
  },
  /**
   * Calls back whenever the frame has changed, and with 'automations' when those have, until the returned function is
   * called.
   * @type {(follower: (news?: string) => void) => () => void}
   */
  follow: () => () => {},
  /** @type {(keepsOthers?: boolean) => void} */
  signOut: () => {},
  /** The browser's offer to install the page, if it has made one. */
  install: null
}
