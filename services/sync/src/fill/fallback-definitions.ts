import type { BucketDefinition, SyncPlan } from '@holdfast/policy'
import { contentOf, holdsTheSame, onlyAddsColumns } from '../storage/definition-content.ts'
import type { StoredDefinition } from '../storage/bucket-storage.ts'

/** A definition of an earlier plan that is served until the one in its place is complete. */
export interface FallbackDefinition {
  /** Has the old definition's id and columns, and the new one's access. */
  readonly definition: BucketDefinition
  readonly table: number
  readonly stored: StoredDefinition
  /** Id of the definition that it is served in place of. */
  readonly for: string
}

/**
 * Finds definitions of an earlier plan that may go on being served although they are in no policy any more: those that hold the very same rows under the
 * very same keys as a definition that is not complete, with fewer columns. That remains when a column was added or granted. Whatever was narrowed,
 * or might have been, is not served: a changed filter or key, a column that was dropped or revoked, a function that may have another body.
 *
 * @param candidates - complete definitions that are in no policy any more
 * @param incomplete - ids of definitions of the new plan
 * @param shapes - what the tables' columns are now, by oid
 */
export function findFallbacks(options: {
  readonly candidates: readonly StoredDefinition[]
  readonly next: SyncPlan
  readonly incomplete: ReadonlySet<string>
  readonly shapes: ReadonlyMap<number, string>
}): readonly FallbackDefinition[] {
  const { next, incomplete, shapes } = options
  // The newest has most of the columns.
  const candidates = options.candidates.toSorted((left, right) => right.number - left.number)
  const found: FallbackDefinition[] = []
  for (const table of next.tables) {
    for (const definition of table.definitions) {
      if (!incomplete.has(definition.id) || !isFixed(definition)) continue
      const wanted = contentOf(table, definition)
      const stored = candidates.find(
        (one) =>
          one.content !== undefined &&
          found.every((other) => other.stored.number !== one.number || other.for === definition.id) &&
          onlyAddsColumns(one.shape, shapes.get(table.oid)) &&
          holdsTheSame(one.content, wanted),
      )
      if (!stored?.content) continue
      const columns = stored.content.columns.map(({ name }) => name)
      const serving = { ...definition, id: stored.id, columns }
      found.push({ definition: serving, table: table.oid, stored, for: definition.id })
    }
  }
  return found
}

/** A plan with fallback definitions beside those that they replace for now. */
export function withFallbacks(plan: SyncPlan, fallbacks: readonly FallbackDefinition[]): SyncPlan {
  if (fallbacks.length === 0) return plan
  return {
    ...plan,
    tables: plan.tables.map((table) => ({
      ...table,
      definitions: [
        ...table.definitions,
        ...fallbacks.filter((one) => one.table === table.oid).map(({ definition }) => definition),
      ],
    })),
  }
}

/** Whether its rows are the same for as long as its text is: nothing in it but what Postgres itself brings. */
function isFixed({ rowFilter, keys }: BucketDefinition): boolean {
  return [rowFilter?.sql ?? '', ...keys.map((key) => key.sql)].every((text) => {
    if (/\boperator\s*\(/i.test(text)) return false
    for (const [, schema] of text.matchAll(/(?:("[^"]+"|\w+)\s*\.\s*)?(?:"[^"]+"|\w+)\s*\(/g)) {
      if (schema !== undefined && schema.replaceAll('"', '') !== 'pg_catalog') return false
    }
    return true
  })
}
