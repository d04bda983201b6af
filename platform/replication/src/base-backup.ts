import { randomBytes } from 'node:crypto'
import { MESSAGE, queryMessage, quoteIdentifier, quoteLiteral, readServerError, takeOver } from '@holdfast/postgres'
import { createBatchQueue } from './batch-queue.ts'
import { replicationConnectionLost, replicationNotConfigured } from './errors.ts'
import { connect } from './connect.ts'

/** Received but unconsumed bytes at which the socket is paused. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024

/** First bytes of `BASE_BACKUP`'s `CopyData` messages. @see PostgreSQL manual, "Streaming Replication Protocol" */
const PART = { archive: 0x6e, manifest: 0x6d, data: 0x64 } as const

/** A part of a base backup, in protocol order. `data` belongs to the preceding archive or manifest. */
export type BaseBackupPart =
  | {
      readonly kind: 'archive'
      /** `base.tar`, or `<oid>.tar` of a tablespace. */
      readonly name: string
    }
  | { readonly kind: 'manifest' }
  | { readonly kind: 'data'; readonly bytes: Buffer }

export interface BaseBackupOptions {
  /** Of a role with `REPLICATION`. */
  readonly url: string
  /** Written to the backup's `backup_label`. */
  readonly label: string
}

/**
 * Takes a physical backup of the running cluster, equivalent to `pg_basebackup --format=tar --wal-method=fetch`: the WAL needed for consistency is in
 * `base.tar`, and a manifest has a SHA-256 per file. A temporary slot retains that WAL until the end. Applies backpressure; leaving the loop cancels the
 * backup.
 *
 * @throws {HoldfastError} `replication_connection_lost`, `replication_not_configured`; Postgres's errors with their SQLSTATE
 * @see PostgreSQL manual, "Streaming Replication Protocol", `BASE_BACKUP`
 */
export async function* readBaseBackup(options: BaseBackupOptions): AsyncGenerator<BaseBackupPart, void, void> {
  const client = await connect({ url: options.url, applicationName: 'holdfast backup', replication: true })
  try {
    const slot = `holdfast_backup_${randomBytes(6).toString('hex')}`
    await client.query(`CREATE_REPLICATION_SLOT ${quoteIdentifier(slot)} TEMPORARY PHYSICAL RESERVE_WAL`)
  } catch (error) {
    await client.end().catch(() => undefined) // report the first error
    throw replicationNotConfigured(error)
  }

  let parts: BaseBackupPart[] = []
  const queue = createBatchQueue<BaseBackupPart>({
    itemsMin: 1,
    itemsMax: 1_000,
    bytesMax: WAITING_BYTES_MAX,
    onFull: () => wire.pause(),
    onRoom: () => wire.resume(),
  })
  const wire = takeOver(client, {
    onMessage(type, buffer, start, end) {
      if (type === MESSAGE.copyData) {
        const part = readPart(buffer, start, end)
        if (part) parts.push(part)
      } else if (type === MESSAGE.error) {
        queue.end(readServerError(buffer, start, end))
      } else if (type === MESSAGE.readyForQuery) {
        flush(0)
        queue.end()
      }
    },
    onChunkEnd: flush,
    onLost: (cause) => queue.end(replicationConnectionLost(cause)),
  })

  function flush(bytes: number): void {
    if (parts.length === 0) return
    queue.push(parts, bytes)
    parts = []
  }

  try {
    wire.send(
      queryMessage(
        `BASE_BACKUP (LABEL ${quoteLiteral(options.label)}, CHECKPOINT 'fast', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`,
      ),
    )
    for (let batch = await queue.take(); batch !== undefined; batch = await queue.take()) yield* batch
  } finally {
    wire.destroy()
  }
}

/** @returns `undefined` for progress reports */
function readPart(buffer: Buffer, start: number, end: number): BaseBackupPart | undefined {
  switch (buffer[start]) {
    case PART.archive:
      return { kind: 'archive', name: buffer.toString('utf8', start + 1, buffer.indexOf(0, start + 1)) }
    case PART.manifest:
      return { kind: 'manifest' }
    case PART.data:
      // The buffer is valid only during the call.
      return { kind: 'data', bytes: Buffer.from(buffer.subarray(start + 1, end)) }
    default:
      return undefined
  }
}
