/** Those that have a catalogue, and English, in which the texts stand in the code. */
const known = ['en', 'de']

/** The reader's: the browser asks lightd for the same, whose words then fit these. */
export const language = navigator.languages.map((name) => name.split('-')[0].toLowerCase())
  .find((name) => known.includes(name)) ?? 'en'
document.documentElement.lang = language

const catalogue = language === 'en' ? {} : await load()

/** Without its catalogue, a page is in English. */
async function load() {
  try {
    return await (await fetch(new URL(`${language}.json`, import.meta.url))).json()
  } catch {
    return {}
  }
}

/** A text in the reader's language: text`${name} is gone.` has the key "{1} is gone." in the catalogues. */
export function text(parts, ...values) {
  const key = parts.reduce((key, part, index) => `${key}{${index}}${part}`)
  return (catalogue[key] ?? key).replace(/\{(\d+)\}/g, (mark, number) => values[number - 1] ?? mark)
}

/** One of two texts, by a count: English and German both have one form for 1, and one for all else. */
export const counted = (count, one, other) => count === 1 ? one : other

/** A name within a sentence: its direction ends with it. */
export const isolated = (name) => `\u2068${name}\u2069`

/** The same where nearly all names run as the sentence does: only one that does not is isolated. */
export const directed = (name) => /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
  .test(name) ? isolated(name) : name
