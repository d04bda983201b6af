/** Languages of the app's texts. The first has every text. */
export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** Read by `public/theme.js` before the first paint. */
const KEY = 'hf-language'

/** Default region if the browser states none for the language. */
const REGIONS: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }

/**
 * Returns the page's language: chosen on this device, otherwise the browser's first supported one. Fixed while the page is open; `public/theme.js` has set it
 * on the document.
 */
export function pageLanguage(): Language {
  const tag = typeof document === 'undefined' ? '' : document.documentElement.lang
  return LANGUAGES.find((language) => language === tag) ?? 'en'
}

let known: { readonly language: Language; readonly locale: string } | undefined

/**
 * Returns the language with region for dates and numbers: `de-AT` if the browser prefers it. Cached per page load, because every grid cell asks and reading the
 * browser's languages is slow.
 */
export function pageLocale(): string {
  const language = pageLanguage()
  if (known?.language !== language) {
    known = {
      language,
      locale: localeOf(language, typeof navigator === 'undefined' ? [] : (navigator.languages ?? [])),
    }
  }
  return known.locale
}

/** @param preferred - the browser's languages, best first */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.split('-', 1)[0] === language) ?? REGIONS[language]
}

/** Stores the choice on this device, effective on the next page load. */
export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language)
  } catch (error) {
    console.warn('The browser did not keep the language.', error)
  }
}
