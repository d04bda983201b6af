/** File storage: buckets and objects protected by row-level security. */
export { usesS3 } from './open-backend.ts'
export { openStorage, type StorageAbilities, type StorageService } from './storage.ts'
export { storageMigrations } from './migrations.ts'
export { storageOptions, type StorageOptions } from './options.ts'
export { keyDemandOf } from './open-routes.ts'
export { openBackend } from './open-backend.ts'
export { verifyStored, type StoredFault, type StoredReport } from './sweep/verify-stored.ts'
