import { inLanguages } from '../lib/texts.ts'

/** How a record stands with the server, beside its mark. */
export const stateMessages = inLanguages('stateMessages', {
  waiting: 'not sent yet',
  sending: 'sending',
  confirming: 'accepted, confirming',
  rejected: 'not accepted',
  held: 'waits for the change before it',
  gone: 'no longer visible to you',
})
