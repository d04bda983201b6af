import { useLocalDatabase, useSchema } from '@holdfast/react'
import { useEffect } from 'react'
import type { SchemaDescriptor } from '@holdfast/protocol'

/** Priority for the displayed table and tables providing its link titles. Other tables have 3. */
const PRIORITY = 1

/** Without a TTL, a connection that opens meanwhile would treat the subscription as expired. */
const TTL_S = 60

/** During the first sync, prioritizes the rows of a table and shows them as soon as complete. */
export function useTableFirst(table: string): void {
  const { database } = useLocalDatabase()
  const schema = useSchema()
  // The subscription belongs to the database and ends with the screen. A reread schema usually names the same tables, and every subscription change reconnects.
  const needed = neededFor(table, schema).join('\n')
  useEffect(() => {
    if (database.currentStatus.hasSynced === true) return
    const subscribing = needed
      .split('\n')
      .map((name) => database.syncStream(`everything/${name}`).subscribe({ priority: PRIORITY, ttl: TTL_S }))
    // Unmounting may coincide with closing the database, which fails a pending subscription.
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
