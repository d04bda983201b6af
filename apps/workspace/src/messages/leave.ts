import { inLanguages } from '../lib/texts.ts'

/** Texts of the question before unsaved input is lost. */
export const leaveMessages = inLanguages('leaveMessages', {
  title: 'Discard changes?',
  detail: 'Your changes are not saved.',
  stay: 'Keep editing',
  discard: 'Discard changes',
})
