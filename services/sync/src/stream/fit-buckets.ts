import type { ActiveDefinition, ActivePlan } from '../buckets/active-plan.ts'
import { definitionPart } from '../buckets/bucket-name.ts'
import type { EvaluatedSubscription } from '../buckets/evaluated-keys.ts'
import { LINK_KEYS_PER_CLIENT_MAX } from '../limits.ts'

/** A table's data withheld from a user because it is in more buckets than a device can be told of. */
export interface OmittedTable {
  readonly table: string
  readonly policy?: string
  /** Number of buckets, as far as counted. */
  readonly buckets: number
  /** Oids of the tables that determine the user's buckets. */
  readonly through: readonly number[]
}

/** A user's data when not all buckets fit on a device. */
export interface Fitted {
  readonly evaluated: readonly EvaluatedSubscription[]
  readonly leftOut: readonly OmittedTable[]
}

const NOTHING: readonly OmittedTable[] = []

/** Omits the definitions with the most buckets until the others fit. Definitions are kept or omitted entirely, because any part of one would be arbitrary. */
export function fitBuckets(active: ActivePlan, evaluated: readonly EvaluatedSubscription[], max: number): Fitted {
  const crowded = new Set(evaluated.flatMap((subscription) => subscription.crowded ?? []))
  if (crowded.size === 0 && evaluated.reduce((sum, { bucketNames }) => sum + bucketNames.length, 0) <= max)
    return { evaluated, leftOut: NOTHING }
  const counts = new Map<string, number>()
  for (const name of new Set(evaluated.flatMap(({ bucketNames }) => bucketNames))) {
    const part = definitionPart(name)
    counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  let total = 0
  const tooMany = new Map([...crowded].map((part) => [part, describe(active, part, LINK_KEYS_PER_CLIENT_MAX + 1)]))
  for (const [part, count] of [...counts].toSorted(([, one], [, other]) => one - other)) {
    total += count
    if (total > max) tooMany.set(part, describe(active, part, count))
  }
  if (tooMany.size === 0) return { evaluated, leftOut: NOTHING }
  return {
    leftOut: [...tooMany.values()],
    evaluated: evaluated.map((subscription) => {
      const lost = new Set(subscription.crowded)
      const bucketNames = subscription.bucketNames.filter((name) => {
        const part = definitionPart(name)
        if (tooMany.has(part)) lost.add(part)
        return !tooMany.has(part)
      })
      if (lost.size === 0) return subscription
      const problem = [...lost].map((part) => problemOf(tooMany.get(part) as OmittedTable, max)).join('; ')
      return {
        ...subscription,
        bucketNames,
        problem: subscription.problem === undefined ? problem : `${subscription.problem}; ${problem}`,
      }
    }),
  }
}

function problemOf({ table, policy }: OmittedTable, max: number): string {
  const by = policy === undefined ? '' : ` by policy "${policy}"`
  return `rows of ${table} that this account sees${by} are not synced: they are in more separate groups than the ${max} that fit on a device`
}

function describe(active: ActivePlan, part: string, buckets: number): OmittedTable {
  for (const { table, definitions } of active.tables.values()) {
    const found = definitions.find(({ stored }) => part === `${stored.id}.${stored.tag}`)
    if (found) return { table: `${table.schema}.${table.name}`, ...policyOf(found), buckets, through: throughOf(found) }
  }
  return { table: part, buckets, through: [] }
}

function policyOf({ definition }: ActiveDefinition): { readonly policy?: string } {
  const [policy] = definition.policies
  return policy === undefined ? {} : { policy }
}

function throughOf({ definition }: ActiveDefinition): readonly number[] {
  return [...new Set(definition.dependencies.map(({ oid }) => oid))]
}
