import { createHash } from 'node:crypto'
import type { UploadOperation } from '@holdfast/protocol'

/** SHA-256 of what the operations say, whatever the order of their keys. A repeated upload has the same. */
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
