import { canonicalJson } from '@holdfast/foundation'
import { createHash } from 'node:crypto'
import type { BucketDefinition, PlannedColumn, TablePlan } from '@holdfast/policy'

/** Content of a definition's buckets, stored because the plan is lost at a restart. */
export interface DefinitionContent {
  readonly localName: string
  readonly key: TablePlan['key']
  /** Row filter and keys as text. */
  readonly rows: string
  /** Columns that the filter and keys read. */
  readonly reads: readonly PlannedColumn[]
  /** Columns sent to devices. */
  readonly columns: readonly PlannedColumn[]
}

export function contentOf(table: TablePlan, definition: BucketDefinition): DefinitionContent {
  const byName = new Map(table.columns.map((column) => [column.name, column]))
  const planned = (names: readonly string[]): PlannedColumn[] =>
    [...new Set(names)].flatMap((name) => byName.get(name) ?? [])
  return {
    localName: table.localName,
    key: table.key,
    rows: JSON.stringify([
      definition.rowFilter?.sql ?? null,
      definition.keys.map((key) => [key.kind, key.sql]),
      definition.accessClass !== undefined,
    ]),
    reads: planned([...(definition.rowFilter?.reads ?? []), ...definition.keys.flatMap((key) => key.reads)]),
    columns: planned(definition.columns),
  }
}

/** Whether the old buckets contain the same rows in the same groups as the next ones, with the same columns or a subset. */
export function holdsTheSame(old: DefinitionContent, next: DefinitionContent): boolean {
  const columns = new Map(next.columns.map((column) => [column.name, canonicalJson(column)]))
  return (
    old.localName === next.localName &&
    canonicalJson(old.key) === canonicalJson(next.key) &&
    old.rows === next.rows &&
    canonicalJson(old.reads) === canonicalJson(next.reads) &&
    old.columns.every((column) => columns.get(column.name) === canonicalJson(column))
  )
}

/** Returns the id of a class list: the table and the expressions that determine classes; `undefined` without access classes. */
export function classListId({ localName, rows }: DefinitionContent): string | undefined {
  const [, keys, isOfClasses] = JSON.parse(rows) as [filter: unknown, keys: unknown, isOfClasses: boolean]
  if (!isOfClasses) return undefined
  return createHash('sha256')
    .update(JSON.stringify([localName, canonicalJson(keys)]))
    .digest('hex')
}

/** Whether a table still has all its earlier columns. @param before - from `readShapes`: `oid:1,2,3` */
export function onlyAddsColumns(before: string, now: string | undefined): boolean {
  const [oid, numbers = ''] = before.split(':')
  const [nowOid, nowNumbers = ''] = (now ?? '').split(':')
  if (oid !== nowOid) return false
  const present = new Set(nowNumbers.split(','))
  return numbers.split(',').every((number) => present.has(number))
}
