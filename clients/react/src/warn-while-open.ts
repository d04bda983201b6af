import type { CommonPowerSyncDatabase } from '@powersync/common'

/** Receives what goes wrong behind a component. A database that is being closed, because its person leaves, answers nothing. */
export function warnWhileOpen(database: Pick<CommonPowerSyncDatabase, 'closed'>): (error: unknown) => void {
  return (error) => {
    if (!database.closed) console.warn(error)
  }
}
