import { inLanguages } from '../lib/texts.ts'

/** A record's sync state, beside its glyph. */
export const stateMessages = inLanguages('stateMessages', {
  waiting: 'not sent yet',
  sending: 'sending',
  confirming: 'accepted, confirming',
  rejected: 'not accepted',
  held: 'waits for the change before it',
  gone: 'no longer visible to you',
})
