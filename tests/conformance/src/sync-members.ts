import type {
  CommonPowerSyncDatabase,
  PowerSyncBackendConnector,
  SyncOptions,
  SyncStatus,
  SyncStream,
  SyncStreamSubscribeOptions,
  SyncStreamSubscription,
  TableOptions,
} from '@powersync/common'

/**
 * Where a member of the SDK's API is looked at: `seen` has a `describe` of its name (`database.connect`), any other name is that of the `describe` which
 * shows it as well, and `local` is the SDK's alone: no server can change what it does, and the page says that it is not tested.
 */
type Where = 'seen' | 'local' | `${string}.${string}`

/**
 * The interfaces that an app uses of `@powersync/common`, member by member. The types make the lists complete: a version of the SDK with another member does
 * not compile until it is here.
 */
const database: Record<keyof CommonPowerSyncDatabase, Where> = {
  close: 'seen',
  closed: 'database.close',
  connect: 'seen',
  connected: 'status.connected',
  connecting: 'status.connecting',
  createMutex: 'local',
  currentStatus: 'status.connected',
  customQuery: 'local',
  database: 'local',
  disconnect: 'seen',
  disconnectAndClear: 'seen',
  execute: 'local',
  executeBatch: 'local',
  executeRaw: 'local',
  get: 'local',
  getAll: 'local',
  getClientId: 'seen',
  getCrudBatch: 'seen',
  getCrudTransactions: 'seen',
  getNextCrudTransaction: 'seen',
  getOptional: 'local',
  getUploadQueueStats: 'seen',
  init: 'local',
  logger: 'local',
  onChange: 'local',
  onChangeWithAsyncGenerator: 'local',
  onChangeWithCallback: 'local',
  query: 'local',
  readLock: 'local',
  readTransaction: 'local',
  ready: 'local',
  registerListener: 'status.connecting',
  requestCheckpoint: 'seen',
  resolveTables: 'local',
  schema: 'local',
  sdkVersion: 'local',
  syncStream: 'stream.subscribe',
  triggers: 'local',
  updateSchema: 'seen',
  waitForFirstSync: 'seen',
  waitForReady: 'local',
  waitForStatus: 'seen',
  watch: 'seen',
  watchWithAsyncGenerator: 'local',
  watchWithCallback: 'database.watch',
  writeLock: 'local',
  writeTransaction: 'local',
}

const options: Record<keyof SyncOptions, Where> = {
  appMetadata: 'seen',
  checkpointMode: 'seen',
  connectionMethod: 'seen',
  crudUploadThrottleMs: 'local',
  fetchStrategy: 'seen',
  includeDefaultStreams: 'seen',
  params: 'seen',
  retryDelayMs: 'local',
}

const connector: Record<keyof Required<PowerSyncBackendConnector>, Where> = {
  fetchCredentials: 'seen',
  postCheckpointRequest: 'options.checkpointMode',
  uploadData: 'seen',
}

const stream: Record<keyof (SyncStream & SyncStreamSubscribeOptions), Where> = {
  name: 'status.syncStreams',
  parameters: 'status.syncStreams',
  priority: 'subscription.waitForFirstSync',
  subscribe: 'seen',
  ttl: 'subscription.unsubscribe',
  unsubscribeAll: 'seen',
}

const subscription: Record<keyof SyncStreamSubscription, Where> = {
  name: 'status.syncStreams',
  parameters: 'status.syncStreams',
  unsubscribe: 'seen',
  waitForFirstSync: 'seen',
}

const status: Record<keyof SyncStatus, Where> = {
  connected: 'seen',
  connecting: 'seen',
  dataFlowStatus: 'seen',
  downloadError: 'seen',
  downloadProgress: 'seen',
  downloading: 'seen',
  forStream: 'seen',
  getMessage: 'local',
  hasSynced: 'seen',
  isEqual: 'local',
  lastSyncedAt: 'seen',
  priorityStatusEntries: 'seen',
  statusForPriority: 'seen',
  syncStreams: 'seen',
  uploadError: 'seen',
  uploading: 'seen',
}

const table: Record<keyof TableOptions, Where> = {
  ignoreEmptyUpdates: 'seen',
  indexes: 'local',
  insertOnly: 'seen',
  localOnly: 'seen',
  trackMetadata: 'seen',
  trackPrevious: 'seen',
  viewName: 'seen',
}

/** Members of a raw table. Their types are not exported. */
const rawTables: Readonly<Record<string, Where>> = {
  clear: 'rawTables.put',
  delete: 'rawTables.put',
  put: 'seen',
  schema: 'seen',
}

/** The members, by the name before the dot in the title of a `describe`. */
export const MEMBERS: Readonly<Record<string, Readonly<Record<string, Where>>>> = {
  database,
  options,
  connector,
  stream,
  subscription,
  status,
  table,
  rawTables,
}
