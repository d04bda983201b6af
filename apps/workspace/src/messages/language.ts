import { inLanguages } from '../lib/texts.ts'

/** The names of the languages are in the language itself, so that whoever reads no other finds theirs. */
export const LANGUAGE_NAMES = { en: 'English', de: 'Deutsch' } as const

export const languageMessages = inLanguages('languageMessages', {
  title: 'Language',
  detail: 'The app is loaded again in the language that you choose. What you entered is kept.',
  failed: 'The texts of this language could not be loaded. Check the connection, then choose it again.',
})
