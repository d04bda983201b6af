import type { BucketDefinition, SyncPlan } from '@holdfast/policy'
import { contentOf, holdsTheSame, onlyAddsColumns } from '../storage/definition-content.ts'
import type { StoredDefinition } from '../storage/bucket-storage.ts'

/** A definition of an earlier plan that is served until its replacement is filled. */
export interface FallbackDefinition {
  /** Has the old definition's id and columns, and the new one's access. */
  readonly definition: BucketDefinition
  readonly table: number
  readonly stored: StoredDefinition
  /** Id of the replacement. */
  readonly for: string
}

/**
 * Finds definitions of an earlier plan that can still be served: they contain the same rows under the same keys as an incomplete definition, with fewer
 * columns. This covers added or newly granted columns. Definitions that were or might have been narrowed are not served: a changed filter or key, a dropped
 * or revoked column, a function whose body may have changed.
 *
 * @param candidates - complete definitions that no policy uses any more
 * @param incomplete - ids of definitions of the new plan
 * @param shapes - current column shapes of the tables, by oid
 */
export function findFallbacks(options: {
  readonly candidates: readonly StoredDefinition[]
  readonly next: SyncPlan
  readonly incomplete: ReadonlySet<string>
  readonly shapes: ReadonlyMap<number, string>
}): readonly FallbackDefinition[] {
  const { next, incomplete, shapes } = options
  // The newest has the most columns.
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

/** Adds fallback definitions to a plan beside their replacements. */
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

/** Whether equal texts always produce the same rows: they use nothing but Postgres's own functions. */
function isFixed({ rowFilter, keys }: BucketDefinition): boolean {
  return [rowFilter?.sql ?? '', ...keys.map((key) => key.sql)].every((text) => {
    if (/\boperator\s*\(/i.test(text)) return false
    for (const [, schema] of text.matchAll(/(?:("[^"]+"|\w+)\s*\.\s*)?(?:"[^"]+"|\w+)\s*\(/g)) {
      if (schema !== undefined && schema.replaceAll('"', '') !== 'pg_catalog') return false
    }
    return true
  })
}
