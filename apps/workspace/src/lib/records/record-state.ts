import type { RejectedChange } from '@holdfast/client'
import type { RecordState } from '../../components/state-glyph.tsx'

/** The sync state of a record, and which of its fields differ from what the server has accepted. */
export interface RecordMark {
  readonly state: RecordState
  readonly fields: ReadonlySet<string>
  /** When the newest waiting change was made on this device. */
  readonly savedAt?: Date | undefined
  /** The item in needs attention that the record is part of. */
  readonly item?: RejectedChange
}

/** Waiting changes of one record, from the outbox. */
export interface WaitingRow {
  readonly id: string
  /** Local transaction of the oldest waiting change. */
  readonly tx: number
  /** JSON: a list of lists of column names. */
  readonly fields: string
  /** ISO 8601, of the newest waiting change; absent for one that was written by something else than this app's screens. */
  readonly at: string | null
}

/**
 * The states of all records of a table that are not clean.
 *
 * @param sendingTx - the local transaction that is being uploaded now
 * @param confirming - records whose changes have left the outbox while the next checkpoint is not here yet
 */
export function deriveMarks(input: {
  readonly table: string
  readonly waiting: readonly WaitingRow[]
  readonly rejected: readonly RejectedChange[]
  readonly sendingTx: number | undefined
  readonly confirming: ReadonlySet<string>
}): ReadonlyMap<string, RecordMark> {
  const marks = new Map<string, RecordMark>()
  for (const id of input.confirming) marks.set(id, { state: 'confirming', fields: new Set() })
  for (const row of input.waiting) {
    marks.set(row.id, {
      state: row.tx === input.sendingTx ? 'sending' : 'waiting',
      fields: new Set((JSON.parse(row.fields) as readonly (readonly string[])[]).flat()),
      savedAt: row.at === null ? undefined : new Date(row.at),
    })
  }
  for (const item of input.rejected) {
    const held = item.held.flatMap(({ operations }) => operations)
    // Refused wins over held, and both over what waits.
    for (const operation of held) mark('held', item, operation)
    for (const operation of item.operations) mark('rejected', item, operation)
  }
  return marks

  function mark(
    state: 'held' | 'rejected',
    item: RejectedChange,
    operation: RejectedChange['operations'][number],
  ): void {
    if (operation.type !== input.table) return
    const known = marks.get(operation.id)
    const fields = new Set([...(known?.fields ?? []), ...Object.keys(operation.data ?? {})])
    marks.set(operation.id, { state, fields, item })
  }
}
