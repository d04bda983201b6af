import type { RejectedChange } from '@holdfast/client'

/** Sync states of a record; a clean record has no mark. */
export type RecordState = 'clean' | 'waiting' | 'sending' | 'confirming' | 'rejected' | 'held' | 'gone'

/** Sync state of a record, and its fields that differ from the server. */
export interface RecordMark {
  readonly state: RecordState
  /** State per field: beside a refused field, another may only be waiting. */
  readonly fields: ReadonlyMap<string, RecordState>
  /** Time of the newest unsent local change. */
  readonly savedAt?: Date | undefined
  /** The record's needs-attention item. */
  readonly item?: RejectedChange
  /** Its photos existing only on this device. */
  readonly files?: UnsentFiles
}

/** Files of a record existing only on this device. */
export interface UnsentFiles {
  readonly id: string
  /** Numbers of waiting, sending and refused files. */
  readonly waiting: number
  readonly sending: number
  readonly refused: number
  /** Number of videos among them. */
  readonly videos: number
  /** Of those being sent. */
  readonly bytes: number
  readonly sent_bytes: number
  /** JSON: reason of one refused file. */
  readonly problem: string | null
}

/** Queued changes of a record, from the outbox. */
export interface WaitingRow {
  readonly id: string
  /** 1: the next transaction to send changes it. */
  readonly is_next: 0 | 1
  /** JSON: a list of lists of column names. */
  readonly fields: string
  /** ISO 8601, of the newest queued change; absent if not written by this app's screens. */
  readonly at: string | null
}

/**
 * Returns the states of all records of a table that are not clean.
 *
 * @param isSending - whether an upload is running
 * @param confirming - records whose changes have left the outbox but are not in a checkpoint yet
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
  // A record with a local-only photo is not completely sent.
  for (const files of input.files) {
    const known = marks.get(files.id)
    const changed = known?.state === 'confirming' ? undefined : known
    marks.set(files.id, { state: stateOfFiles(files), fields: new Map(), ...changed, files })
  }
  // Priority: refused, then held, then waiting.
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
