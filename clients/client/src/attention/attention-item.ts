import type { UploadOperation } from '@holdfast/protocol'
import type { AttentionVerdict } from '../queue/attention-verdict.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'

/** `open`: undecided. `sent`: written again, perhaps edited. `discarded`: given up. */
export type AttentionState = 'open' | 'sent' | 'discarded'

/** A change that the server did not accept, with the changes depending on it. Kept until the user decides. */
export interface RejectedChange {
  readonly id: string
  /** Time of the verdict, ISO 8601. */
  readonly at: string
  readonly position: number
  /** Record of the rejected operation. */
  readonly table: string
  readonly recordId: string
  readonly op: UploadOperation['op']
  /** The whole transaction as sent. */
  readonly operations: readonly UploadOperation[]
  readonly verdict: AttentionVerdict
  /** The server's row at the time of a conflict. */
  readonly serverRow: Readonly<Record<string, string | number | null>> | undefined
  /** Dependent later transactions, oldest first. */
  readonly held: readonly QueuedTransaction[]
  readonly state: AttentionState
  readonly decidedAt: string | undefined
}

/** A row of `hf_local_attention`. */
export interface AttentionRow {
  readonly id: string
  readonly at: string
  readonly position: number
  readonly table_name: string
  readonly record_id: string
  readonly op: UploadOperation['op']
  readonly operations: string
  readonly verdict: string
  readonly server_row: string | null
  readonly held_ops: string
  readonly state: AttentionState
  readonly decided_at: string | null
}

export function toRejectedChange(row: AttentionRow): RejectedChange {
  return {
    id: row.id,
    at: row.at,
    position: row.position,
    table: row.table_name,
    recordId: row.record_id,
    op: row.op,
    operations: JSON.parse(row.operations) as readonly UploadOperation[],
    verdict: JSON.parse(row.verdict) as AttentionVerdict,
    serverRow:
      row.server_row === null ? undefined : (JSON.parse(row.server_row) as Record<string, string | number | null>),
    held: JSON.parse(row.held_ops) as readonly QueuedTransaction[],
    state: row.state,
    decidedAt: row.decided_at ?? undefined,
  }
}
