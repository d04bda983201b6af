import { mergeLines, type OperationVerdict, type UploadOperation } from '@holdfast/protocol'
import type { WritableTable } from './writable-tables.ts'

/**
 * Returns the operation to try instead of one that was made from outdated texts: it writes both users' changes, on condition that the texts are still those
 * merged.
 *
 * @param operation - its previous values are the texts that the user saw
 * @param verdict - why it was not applied
 * @returns `undefined` if the texts were not the reason or cannot be merged: then the verdict stands
 */
export function mergeTexts(
  operation: UploadOperation,
  table: WritableTable,
  verdict: OperationVerdict,
): UploadOperation | undefined {
  const { op, old = {}, data = {} } = operation
  if (op !== 'PATCH' || verdict.status !== 'conflict') return undefined
  const { current } = verdict
  const texts: Record<string, string> = {}
  const found: Record<string, string | number | null> = {}
  for (const name of Object.keys(old)) {
    const theirs = current[name] ?? null
    if (!table.columns.get(name)?.merged || !(name in data) || theirs === old[name]) continue
    const merged = mergeLines(asText(old[name]), asText(data[name]), asText(theirs))
    if (!merged || merged.conflicts > 0) return undefined
    texts[name] = merged.text
    found[name] = theirs
  }
  if (Object.keys(texts).length === 0) return undefined
  return { ...operation, data: { ...data, ...texts }, old: { ...old, ...found } }
}

/** NULL and the empty text are equal to users. */
function asText(value: string | number | null | undefined): string {
  return String(value ?? '')
}

export function mergedColumns({ old }: UploadOperation, merged: UploadOperation): readonly string[] {
  return Object.keys(merged.old ?? {}).filter((name) => merged.old?.[name] !== old?.[name])
}

export function isSameWrite(a: UploadOperation, b: UploadOperation): boolean {
  return JSON.stringify([a.data, a.old]) === JSON.stringify([b.data, b.old])
}
