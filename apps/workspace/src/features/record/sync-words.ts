import type { RecordState } from '../../lib/records/record-state.ts'
import { formatMoment } from '../../lib/format.ts'
import { recordMessages as words } from '../../messages/record.ts'

/**
 * Describes the sync state of a record's newest change. Clearly separates saved on this device from accepted by the server.
 *
 * @param savedAt - when the newest change known to this screen was made on this device
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
