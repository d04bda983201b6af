import { useLocalDatabase, useSchema } from '@holdfast/react'
import { useEffect } from 'react'
import type { SchemaDescriptor } from '@holdfast/protocol'

/** Of the table on the screen, and of the tables that its links are called by: without those, links are ids. The other tables have 3. */
const PRIORITY = 1

/** Without one, a connection that opens in the moment of the subscription takes it for one that has ended, and drops it. */
const TTL_S = 60

/** While the first sync runs, has the rows of a table sent before those of the others, and shown when they are whole. */
export function useTableFirst(table: string): void {
  const { database } = useLocalDatabase()
  const schema = useSchema()
  // The subscription is the database's. One for each screen: it ends with it, so that nothing is asked for twice later.
  // A schema that was read again mostly names the same tables: each change of subscriptions connects again.
  const needed = neededFor(table, schema).join('\n')
  useEffect(() => {
    if (database.currentStatus.hasSynced === true) return
    const subscribing = needed
      .split('\n')
      .map((name) => database.syncStream(`everything/${name}`).subscribe({ priority: PRIORITY, ttl: TTL_S }))
    // What ends it may be the end of the database, which fails a subscription that is still under way.
    return () => {
      for (const one of subscribing) {
        one.then(
          (subscription) => subscription.unsubscribe(),
          () => undefined,
        )
      }
    }
  }, [database, needed])
}

function neededFor(table: string, schema: SchemaDescriptor): readonly string[] {
  const columns = schema.tables.find(({ name }) => name === table)?.columns ?? []
  const linked = columns.flatMap(({ references }) => (references ? [references.table] : []))
  return [...new Set([table, ...linked])].filter((name) => schema.tables.some((one) => one.name === name))
}
