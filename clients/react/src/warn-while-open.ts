import type { CommonPowerSyncDatabase } from '@powersync/common'

/** Logs errors behind a component, except while the database is closing because its user leaves. */
export function warnWhileOpen(database: Pick<CommonPowerSyncDatabase, 'closed'>): (error: unknown) => void {
  return (error) => {
    if (!database.closed) console.warn(error)
  }
}
