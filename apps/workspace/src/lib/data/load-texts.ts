import { type Language, pageLanguage, pageLocale } from '../language.ts'
import { readTextsFrom } from '../texts.ts'

/** Where the service worker finds the texts of the reader's language without a connection. */
const PARTS_CACHE = 'holdfast-parts'

/**
 * Loads the texts of the page's language; called once, before the first screen.
 *
 * @returns `undefined` for English, whose texts are there. Never rejects: a language that cannot be loaded is read in English
 */
export function loadTexts(): Promise<void> | undefined {
  return pageLanguage() === 'en' ? undefined : loadGerman()
}

async function loadGerman(): Promise<void> {
  try {
    const german = await import('../../messages/de/german.ts')
    // The component library reads its texts from there, all of them for this language.
    Reflect.set(globalThis, Symbol.for('react-aria.i18n.locale'), pageLocale())
    Reflect.set(globalThis, Symbol.for('react-aria.i18n.strings'), german.componentTexts)
    readTextsFrom(german.texts)
    keepTexts(german.address).catch((error: unknown) => {
      console.warn('The German texts are not kept on this device; without a connection the app is in English.', error)
    })
  } catch (error) {
    console.warn('The German texts could not be loaded; the app is in English until it is loaded again.', error)
    document.documentElement.lang = 'en'
  }
}

/**
 * Loads the texts of a language and keeps them on this device, before it is switched to.
 *
 * @throws when they cannot be loaded
 */
export async function fetchTexts(language: Language): Promise<void> {
  if (language === 'en') return
  const { address } = await import('../../messages/de/german.ts')
  await keepTexts(address)
}

async function keepTexts(address: string): Promise<void> {
  if (!import.meta.env.PROD || !('caches' in globalThis)) return
  const cache = await caches.open(PARTS_CACHE)
  if ((await cache.match(address)) === undefined) await cache.add(address)
}
