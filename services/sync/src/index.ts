export { openSync, syncMigrations, type SyncOptions, type SyncService } from './sync.ts'
export { syncOptions } from './options.ts'
