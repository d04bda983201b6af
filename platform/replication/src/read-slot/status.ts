import { copyDataMessage } from '@holdfast/postgres'

const POSTGRES_EPOCH_MS = 946_684_800_000

export interface Status {
  /** Received so far. */
  readonly written: bigint
  /** Durable here; Postgres may drop earlier WAL. */
  readonly flushed: bigint
  readonly nowMs: number
  /** Requests a keepalive. */
  readonly wantsReply: boolean
}

/** Encodes the standby status update. @see PostgreSQL manual, "Streaming Replication Protocol" */
export function statusMessage(status: Status): Buffer {
  const body = Buffer.allocUnsafe(34)
  body.write('r', 0, 'latin1')
  body.writeBigUInt64BE(status.written, 1)
  body.writeBigUInt64BE(status.flushed, 9)
  body.writeBigUInt64BE(status.flushed, 17)
  body.writeBigInt64BE(BigInt(status.nowMs - POSTGRES_EPOCH_MS) * 1000n, 25)
  body.writeUInt8(status.wantsReply ? 1 : 0, 33)
  return copyDataMessage(body)
}
