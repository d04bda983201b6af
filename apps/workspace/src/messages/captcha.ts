import { inLanguages } from '../lib/texts.ts'

/** Texts of the check against bots. */
export const captchaMessages = inLanguages('captchaMessages', {
  title: 'Confirm that you are human',
  lead: 'This server asks for a quick check before it goes on.',
  frame: 'Check against bots',
  loading: 'Loading the check',
  notLoaded: 'The check could not be loaded',
  notLoadedDetail: 'Check your connection, and allow this page in your content blocker.',
  tryAgain: 'Try again',
})
