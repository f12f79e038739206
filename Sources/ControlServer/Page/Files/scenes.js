import { act, lazily } from './act.js'
import { perform } from './api.js'
import { kept, texts } from './kept.js'
import { page } from './page.js'
import { directed, text } from './text.js'
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
  showUndo(fields.dynamic ? text`Scene ${directed(title)}, moving` : text`Scene ${directed(title)}`, reply?.ticket)
})

// MARK: Those pinned in this browser

const pinned = kept('scenes', texts)

export const isPinned = ({ id }) => pinned.value.includes(id)

export function pin(scene, wanted = true) {
  const others = pinned.value.filter((id) => id !== scene.id)
  pinned.keep(wanted ? [...others, scene.id] : others)
  // The page is painted when the last finger has left it.
  page.hold()
  page.letGo()
}

/** The sections of the page, with the scenes that are pinned in this browser among what is pinned. */
export function withPins(sections) {
  const scenes = pinned.value.flatMap((id) => {
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
