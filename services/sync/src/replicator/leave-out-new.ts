import type { PublishedPlan } from './publish-tables.ts'

/**
 * Leaves tables out of a plan that are not among those that were there before. They are published all the same, so that nothing of them is missed when they come
 * with a later plan.
 */
export function leaveOutNew<Compiled extends PublishedPlan>(compiled: Compiled, known: ReadonlySet<number>): Compiled {
  const { plan } = compiled
  const added = plan.tables.filter(({ oid }) => !known.has(oid))
  if (added.length === 0) return compiled
  const version = `${plan.version}-${added.map(({ oid }) => oid).join('-')}`
  return { ...compiled, plan: { ...plan, version, tables: plan.tables.filter((table) => !added.includes(table)) } }
}
