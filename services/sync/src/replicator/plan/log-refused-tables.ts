import type { Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'

/** The schema of Holdfast's own tables, some of which are not meant for devices. */
const OWN_SCHEMA = 'holdfast'

/** Logs each table and stream query that does not sync, once, with the reason. The project's tables come first. */
export function logRefusedTables(logger: Logger, next: SyncPlan, before: SyncPlan | undefined): void {
  const previouslyLogged = new Set(before?.refused.map((table) => `${table.oid} ${table.reason}`))
  const isOwn = ({ schema }: SyncPlan['refused'][number]): boolean => schema === OWN_SCHEMA
  const ordered = next.refused.toSorted((one, other) => Number(isOwn(one)) - Number(isOwn(other)))
  for (const table of ordered) {
    const { schema, name, oid, policy, reason } = table
    if (previouslyLogged.has(`${oid} ${reason}`)) continue
    // An unsupported policy is a surprise; a table without one was not meant for devices.
    logger.log(policy !== undefined ? 'warn' : isOwn(table) ? 'debug' : 'info', 'a table does not sync', {
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
