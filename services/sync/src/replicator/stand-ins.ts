import type { BucketDefinition, SyncPlan, TablePlan } from '@holdfast/policy'
import type { StoredDefinition } from '../storage/bucket-storage.ts'

/** A definition of an earlier plan that is served until the one in its place is complete. */
export interface StandIn {
  /** With the old one's id and columns; who gets it is decided by the new one. */
  readonly definition: BucketDefinition
  readonly table: number
  readonly stored: StoredDefinition
  /** Id of the definition that it stands in for. */
  readonly for: string
}

/**
 * Finds definitions of an earlier plan that may go on being served although they are in no policy any more: those that hold the very same rows under the
 * very same keys as a definition that is not complete, with fewer columns. That is what is left when a column was added or granted. Whatever was narrowed,
 * or might have been, is not served: a changed filter or key, a column that was dropped or revoked, a function that may have another body.
 *
 * @param incomplete - ids of definitions of the new plan
 * @param shapes - what the tables' columns are now, by oid
 */
export function findStandIns(options: {
  readonly before: SyncPlan
  readonly stored: readonly StoredDefinition[]
  readonly next: SyncPlan
  readonly incomplete: ReadonlySet<string>
  readonly shapes: ReadonlyMap<number, string>
}): readonly StandIn[] {
  const { before, stored, next, incomplete, shapes } = options
  const kept = new Map(stored.map((definition) => [definition.id, definition]))
  const wanted = new Set(next.tables.flatMap((table) => table.definitions.map(({ id }) => id)))
  const found: StandIn[] = []
  for (const table of next.tables) {
    const old = before.tables.find((one) => one.oid === table.oid && one.localName === table.localName)
    if (!old || !hasSameKey(old, table)) continue
    for (const definition of table.definitions) {
      if (!incomplete.has(definition.id)) continue
      for (const candidate of old.definitions) {
        const known = kept.get(candidate.id)
        if (!known || wanted.has(candidate.id) || found.some((one) => one.definition.id === candidate.id)) continue
        if (!onlyAddsColumns(known.shape, shapes.get(table.oid)) || !holdsTheSame(candidate, definition, old, table)) {
          continue
        }
        const serving = { ...definition, id: candidate.id, columns: candidate.columns }
        found.push({ definition: serving, table: table.oid, stored: known, for: definition.id })
        break
      }
    }
  }
  return found
}

/** A plan with what stands in beside what it stands in for. */
export function withStandIns(plan: SyncPlan, standIns: readonly StandIn[]): SyncPlan {
  if (standIns.length === 0) return plan
  return {
    ...plan,
    tables: plan.tables.map((table) => ({
      ...table,
      definitions: [
        ...table.definitions,
        ...standIns.filter((one) => one.table === table.oid).map(({ definition }) => definition),
      ],
    })),
  }
}

function hasSameKey(old: TablePlan, next: TablePlan): boolean {
  return JSON.stringify(old.key) === JSON.stringify(next.key)
}

/** @param before - as `readShapes` gives it: `oid:1,2,3` */
function onlyAddsColumns(before: string, now: string | undefined): boolean {
  const [oid, numbers = ''] = before.split(':')
  const [nowOid, nowNumbers = ''] = (now ?? '').split(':')
  if (oid !== nowOid) return false
  const present = new Set(nowNumbers.split(','))
  return numbers.split(',').every((number) => present.has(number))
}

function holdsTheSame(old: BucketDefinition, next: BucketDefinition, before: TablePlan, now: TablePlan): boolean {
  const texts = (definition: BucketDefinition): string =>
    JSON.stringify([
      definition.rowFilter?.sql ?? null,
      definition.keys.map((key) => [key.kind, key.sql]),
      definition.accessClass !== undefined,
    ])
  const typeOf = (table: TablePlan, name: string): string | undefined =>
    JSON.stringify(table.columns.find((column) => column.name === name))
  return (
    texts(old) === texts(next) &&
    [next.rowFilter?.sql ?? '', ...next.keys.map((key) => key.sql)].every(isFixed) &&
    old.columns.every((name) => next.columns.includes(name) && typeOf(before, name) === typeOf(now, name)) &&
    [...(next.rowFilter?.reads ?? []), ...next.keys.flatMap((key) => key.reads)].every(
      (name) => typeOf(before, name) === typeOf(now, name),
    )
  )
}

/** Whether an expression means the same for as long as its text does: nothing in it but what Postgres itself brings. */
function isFixed(text: string): boolean {
  if (/\boperator\s*\(/i.test(text)) return false
  for (const [, schema] of text.matchAll(/(?:("[^"]+"|\w+)\s*\.\s*)?(?:"[^"]+"|\w+)\s*\(/g)) {
    if (schema !== undefined && schema.replaceAll('"', '') !== 'pg_catalog') return false
  }
  return true
}
