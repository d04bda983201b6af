import { inLanguages } from '../lib/texts.ts'

/** Each language is named in itself, so that users find theirs. */
export const LANGUAGE_NAMES = { en: 'English', de: 'Deutsch' } as const

export const languageMessages = inLanguages('languageMessages', {
  title: 'Language',
  detail: 'The app is loaded again in the language that you choose. What you entered is kept.',
  failed: 'The texts of this language could not be loaded. Check the connection, then choose it again.',
})
