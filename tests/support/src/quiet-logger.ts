import type { PowerSyncLogger } from '@powersync/common'

/** The SDK writes every lost connection to the console, and here they are lost on purpose. */
export const quietLogger: PowerSyncLogger = { log: () => undefined }
