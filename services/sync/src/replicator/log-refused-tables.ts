import type { Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'

/** Logs which tables and which queries of streams do not sync, and why, each once. */
export function logRefusedTables(logger: Logger, next: SyncPlan, before: SyncPlan | undefined): void {
  const previouslyLogged = new Set(before?.refused.map((table) => `${table.oid} ${table.reason}`))
  for (const { schema, name, oid, policy, reason } of next.refused) {
    if (previouslyLogged.has(`${oid} ${reason}`)) continue
    // A policy that cannot be followed surprises; a table without one was not meant for devices.
    logger.log(policy === undefined ? 'info' : 'warn', 'a table does not sync', {
      table: `${schema}.${name}`,
      policy,
      reason,
    })
  }
  const loggedQueries = new Set(
    before?.streams.flatMap(({ name, refused }) => refused.map((one) => `${name} ${one.reason}`)),
  )
  for (const { name, refused } of next.streams) {
    for (const { query, reason } of refused) {
      if (!loggedQueries.has(`${name} ${reason}`))
        logger.log('warn', 'a query of a stream is not followed', { stream: name, query, reason })
    }
  }
}
