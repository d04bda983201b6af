/** The languages that the app's texts are written in. The first is the one that every text has. */
export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** Where `public/theme.js` finds the language before the first paint. */
const KEY = 'hf-language'

/** A region for a reader whose browser names none of the language. */
const REGIONS: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }

/**
 * The language of this page: what was chosen on this device, else the first of the browser's that the app has. It does
 * not change while the page is open; `public/theme.js` has put it on the document.
 */
export function pageLanguage(): Language {
  const tag = typeof document === 'undefined' ? '' : document.documentElement.lang
  return LANGUAGES.find((language) => language === tag) ?? 'en'
}

let known: { readonly language: Language; readonly locale: string } | undefined

/**
 * The language with its region, as dates and numbers need it: `de-AT` for a reader of German whose browser says so. Each cell of a grid asks, and the browser's list of
 * languages is slow to read; like the language, it is that of the load of the page.
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

/** @param preferred - the browser's languages, the best first */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.split('-', 1)[0] === language) ?? REGIONS[language]
}

/** Keeps the choice on this device; it holds from the next load of the page on. */
export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language)
  } catch (error) {
    console.warn('The browser did not keep the language.', error)
  }
}
