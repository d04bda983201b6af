import type { RecordState } from '../../lib/records/record-state.ts'
import { formatMoment } from '../../lib/format.ts'
import { recordMessages as words } from '../../messages/record.ts'

/**
 * Where the newest change of a record stands, in words. Saved here and accepted by the server are two facts; the words
 * never take one for the other.
 *
 * @param savedAt - when the newest change that this screen knows of was made here
 */
export function syncWords(state: RecordState, savedAt: Date | undefined, now: Date = new Date()): string {
  const saved = words.savedHere(savedAt === undefined ? undefined : formatMoment(savedAt, now))
  switch (state) {
    case 'clean':
      return savedAt === undefined ? words.synced : `${saved} · ${words.accepted}`
    case 'waiting':
      return `${saved} · ${words.notSent}`
    case 'sending':
      return `${saved} · ${words.sending}`
    case 'confirming':
      return `${saved} · ${words.confirming}`
    case 'rejected':
      return words.rejectedWords
    case 'held':
      return words.heldWords
    case 'gone':
      return words.goneTitle
    default:
      return state satisfies never
  }
}
