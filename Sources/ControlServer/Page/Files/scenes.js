import { act, lazily } from './act.js'
import { perform } from './api.js'
import { page } from './page.js'
import { text } from './text.js'
import { showUndo } from './toast.js'

const sheets = (name) => lazily(() => import('./sceneeditor.js'), name)
/** All that can be done with a scene. `place`: the name of its room. */
export const openScene = sheets('openScene')
/** Saves what a room shows as a scene. */
export const openSaver = sheets('openSaver')

/** Sets the lights as a scene has them, and offers to take it back. `fields`: of the command. */
export const recall = ({ id, title }, fields = {}) => act(async () => {
  await page.changeMany()
  const reply = await perform('recall', { scene: id, ...fields })
  showUndo(fields.dynamic ? text`Scene ${title}, moving` : text`Scene ${title}`, reply?.ticket)
})

// MARK: What this browser keeps

/** A list that this browser keeps; for this visit only if it keeps nothing. */
export function kept(name) {
  let list = []
  try {
    list = JSON.parse(localStorage.getItem(name)) ?? []
  } catch {
    // Forbidden, or not ours.
  }
  return {
    get list() { return Array.isArray(list) ? list : [] },
    keep(newest) {
      list = newest
      try {
        localStorage.setItem(name, JSON.stringify(list))
      } catch {
        // It lasts as long as the page.
      }
    }
  }
}

const pinned = kept('scenes')

export const isPinned = ({ id }) => pinned.list.includes(id)

export function pin(scene, wanted = true) {
  const others = pinned.list.filter((id) => id !== scene.id)
  pinned.keep(wanted ? [...others, scene.id] : others)
  // The page is painted when the last finger has left it.
  page.hold()
  page.letGo()
}

/** The sections of the page, with the scenes that are pinned in this browser among what is pinned. */
export function withPins(sections) {
  const scenes = pinned.list.flatMap((id) => {
    const room = roomOf({ id }, sections)
    const scene = room?.scenes.find((scene) => scene.id === id)
    return scene ? [{ ...scene, place: room.title, detail: [room.title, scene.detail].filter(Boolean).join(', ') }] : []
  })
  if (!scenes.length) return sections
  const own = { id: 'pinned', kind: 'pinned', title: text`Pinned`, summary: '', whole: null, tiles: [] }
  const [first, ...others] = sections
  return first.kind === 'pinned' ? [{ ...first, scenes }, ...others] : [{ ...own, scenes }, ...sections]
}

/** The room or zone that has it. */
export const roomOf = ({ id }, sections = page.frame?.sections ?? []) =>
  sections.find(({ kind, scenes }) => kind !== 'pinned' && scenes.some((scene) => scene.id === id))
