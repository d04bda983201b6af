import type { PublishedPlan } from './publish-tables.ts'

/**
 * Removes tables that are not `known` from a plan. They stay published, so that a later plan can add them without missing changes.
 */
export function keepKnownTables<Compiled extends PublishedPlan>(
  compiled: Compiled,
  known: ReadonlySet<number>,
): Compiled {
  const { plan } = compiled
  const added = plan.tables.filter(({ oid }) => !known.has(oid))
  if (added.length === 0) return compiled
  const version = `${plan.version}-${added.map(({ oid }) => oid).join('-')}`
  return { ...compiled, plan: { ...plan, version, tables: plan.tables.filter((table) => !added.includes(table)) } }
}
