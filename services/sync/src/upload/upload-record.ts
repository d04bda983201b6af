import { createHash } from 'node:crypto'
import type { Caller } from '@holdfast/http'
import { AUTHOR_PREFIX, authorOf, sql, type SqlFragment } from '@holdfast/postgres'
import type { OperationVerdict, UploadOperation, UploadResponse } from '@holdfast/protocol'

/** Identifies an upload across retries. */
export interface UploadKey {
  readonly userId: string
  readonly clientId: string
  readonly position: number
}

/** The recorded part of a response. */
export type Judgement = Omit<UploadResponse, 'repeated'>

/** The row returned by {@link renderClaim}. */
export interface ClaimRow {
  readonly claimed: boolean
  readonly same_body: boolean
  readonly status: UploadResponse['status'] | null
  readonly verdicts: readonly OperationVerdict[] | null
}

/** Renders the claim of an upload's key, the transaction's first statement. It also sets whether COMMIT waits for the disk, and names the author. */
export function renderClaim(key: UploadKey, caller: Caller, bodyHash: Buffer, deferFsync: boolean): SqlFragment {
  return sql`
    select claim.*, set_config('synchronous_commit', ${deferFsync ? 'off' : 'on'}, true),
           pg_catalog.pg_logical_emit_message(true, ${AUTHOR_PREFIX}, ${authorOf(caller) ?? ''})
      from sync.claim_upload(${key.userId}, ${key.clientId}, ${key.position}, ${bodyHash}) claim`
}

/** Renders the recording of a verdict in the transaction that claimed the key. */
export function renderRecord(key: UploadKey, judgement: Judgement): SqlFragment {
  return sql`
    select sync.record_upload(
      ${key.userId}, ${key.clientId}, ${key.position}, ${judgement.status}, ${JSON.stringify(judgement.verdicts)})
  `
}

/** SHA-256 of the operations, independent of the order of keys. Equal for a resent upload. */
export function hashOperations(operations: readonly UploadOperation[]): Buffer {
  const hash = createHash('sha256')
  for (const { op_id, op, type, id, data, old, metadata } of operations) {
    hash.update(JSON.stringify([op_id, op, type, id, sortedEntries(data), sortedEntries(old), metadata ?? null]))
  }
  return hash.digest()
}

function sortedEntries(row: Readonly<Record<string, unknown>> | undefined): readonly unknown[] | null {
  return row ? Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)) : null
}
