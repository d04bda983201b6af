import type { RejectedChange } from '@holdfast/client'

/** The states of a record, as the design names them; a clean record has no mark. */
export type RecordState = 'clean' | 'waiting' | 'sending' | 'confirming' | 'rejected' | 'held' | 'gone'

/** The sync state of a record, and which of its fields differ from what the server has accepted. */
export interface RecordMark {
  readonly state: RecordState
  /** Each in the state of the change that it is part of: next to a refused field another may only wait. */
  readonly fields: ReadonlyMap<string, RecordState>
  /** When the newest waiting change was made on this device. */
  readonly savedAt?: Date | undefined
  /** The item in needs attention that the record is part of. */
  readonly item?: RejectedChange
  /** Its photos that are only on this device. */
  readonly files?: UnsentFiles
}

/** Files of one record that are only on this device. */
export interface UnsentFiles {
  readonly id: string
  /** How many wait, are being sent, and were refused. */
  readonly waiting: number
  readonly sending: number
  readonly refused: number
  /** How many of them are videos. */
  readonly videos: number
  /** Of those that are being sent. */
  readonly bytes: number
  readonly sent_bytes: number
  /** JSON: why one of the refused ones was not taken. */
  readonly problem: string | null
}

/** Waiting changes of one record, from the outbox. */
export interface WaitingRow {
  readonly id: string
  /** 1: a change of it is in the transaction that is sent next. */
  readonly is_next: 0 | 1
  /** JSON: a list of lists of column names. */
  readonly fields: string
  /** ISO 8601, of the newest waiting change; absent for one that was written by something else than this app's screens. */
  readonly at: string | null
}

/**
 * The states of all records of a table that are not clean.
 *
 * @param isSending - an upload is going on
 * @param confirming - records whose changes have left the outbox while the next checkpoint is not here yet
 */
export function deriveMarks(input: {
  readonly table: string
  readonly waiting: readonly WaitingRow[]
  readonly files: readonly UnsentFiles[]
  readonly rejected: readonly RejectedChange[]
  readonly isSending: boolean
  readonly confirming: ReadonlySet<string>
}): ReadonlyMap<string, RecordMark> {
  const marks = new Map<string, RecordMark>()
  for (const id of input.confirming) marks.set(id, { state: 'confirming', fields: new Map() })
  for (const row of input.waiting) {
    const state = input.isSending && row.is_next === 1 ? 'sending' : 'waiting'
    const names = (JSON.parse(row.fields) as readonly (readonly string[])[]).flat()
    marks.set(row.id, {
      state,
      fields: new Map(names.map((name) => [name, state])),
      savedAt: row.at === null ? undefined : new Date(row.at),
    })
  }
  // The whole of a record has not been sent while one of its photos is only here.
  for (const files of input.files) {
    const known = marks.get(files.id)
    const changed = known?.state === 'confirming' ? undefined : known
    marks.set(files.id, { state: stateOfFiles(files), fields: new Map(), ...changed, files })
  }
  // Refused wins over held, and both over what waits.
  for (const item of input.rejected) {
    for (const { operations } of item.held) for (const operation of operations) mark('held', item, operation)
  }
  for (const item of input.rejected) for (const operation of item.operations) mark('rejected', item, operation)
  return marks

  function mark(
    state: 'held' | 'rejected',
    item: RejectedChange,
    operation: RejectedChange['operations'][number],
  ): void {
    if (operation.type !== input.table) return
    const known = marks.get(operation.id)
    const own = Object.keys(operation.data ?? {}).map((name) => [name, state] as const)
    const files = known?.files && { files: known.files }
    marks.set(operation.id, { state, fields: new Map([...(known?.fields ?? []), ...own]), item, ...files })
  }
}

function stateOfFiles({ sending, waiting }: UnsentFiles): RecordState {
  if (sending > 0) return 'sending'
  return waiting > 0 ? 'waiting' : 'rejected'
}
