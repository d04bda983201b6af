import type { UploadOperation } from '@holdfast/protocol'

/** Columns of a table that link to another table, by column: the other table's local name. */
export type LinksOf = (table: string) => ReadonlyMap<string, string>

/**
 * Whether `operations` make no sense without `refused`: they touch one of its records, or link to a record that it was to create.
 * Such a transaction waits for the person's decision instead of being refused for a follow-up reason.
 */
export function dependsOn(
  operations: readonly UploadOperation[],
  refused: readonly UploadOperation[],
  linksOf: LinksOf,
): boolean {
  const touched = new Set(refused.map((operation) => recordKey(operation.type, operation.id)))
  const created = new Set(
    refused.filter((operation) => operation.op === 'PUT').map((operation) => recordKey(operation.type, operation.id)),
  )
  return operations.some(
    (operation) =>
      touched.has(recordKey(operation.type, operation.id)) ||
      (created.size > 0 && linkedRecords(operation, linksOf).some((key) => created.has(key))),
  )
}

function linkedRecords(operation: UploadOperation, linksOf: LinksOf): readonly string[] {
  const { data } = operation
  if (!data) return []
  return [...linksOf(operation.type)].flatMap(([column, table]) => {
    const id = data[column]
    return id === null || id === undefined ? [] : [recordKey(table, String(id))]
  })
}

function recordKey(table: string, id: string): string {
  return `${table}\0${id}`
}
