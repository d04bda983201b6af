import type { PowerSyncLogger } from '@powersync/common'

/** Discards the SDK's log, which reports every lost connection; tests lose them on purpose. */
export const quietLogger: PowerSyncLogger = { log: () => undefined }
