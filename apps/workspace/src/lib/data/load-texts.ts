import { type Language, pageLanguage, pageLocale } from '../language.ts'
import { readTextsFrom } from '../texts.ts'

/** Cache from which the service worker serves texts offline. */
const PARTS_CACHE = 'holdfast-parts'

/**
 * Loads the texts of the page's language before the first screen.
 *
 * @returns `undefined` for English, which is bundled. Never rejects: falls back to English
 */
export function loadTexts(): Promise<void> | undefined {
  return pageLanguage() === 'en' ? undefined : loadGerman()
}

async function loadGerman(): Promise<void> {
  try {
    const german = await import('../../messages/de/german.ts')
    // The component library reads its texts from there.
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
 * Loads and caches a language's texts before switching to it.
 *
 * @throws if they cannot be loaded
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
