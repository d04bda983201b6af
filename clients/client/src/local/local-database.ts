import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { IncompleteTable, Judgement, PlannedWrite, SchemaDescriptor, WriteRules } from '@holdfast/protocol'
import type { Attachments } from '../attachments/attachments.ts'
import type { AttachmentsOptions } from '../attachments/attachments-options.ts'
import { openAttachments } from '../attachments/open-attachments.ts'
import { createRejectedChanges, type RejectedChanges } from '../attention/rejected-changes.ts'
import type { KeyValueStore } from '../key-value.ts'
import type { DeviceCheck, DeviceCheckOptions } from '../check/device-check.ts'
import { openLink } from '../link/open-link.ts'
import { watchSchemaHints } from '../schema/watch-schema-hints.ts'
import type { Session } from '../session/session.ts'
import type { SyncState } from '../status/sync-state.ts'
import { watchIncomplete } from '../status/watch-incomplete.ts'
import { watchSyncState } from '../status/watch-sync-state.ts'
import { forgetBases } from '../queue/guard-bases.ts'
import type { ChooseSearched, LocalSearch } from '../search/open-search.ts'
import { createPostUpload } from '../upload/post-upload.ts'
import { UploadQueue } from '../upload/upload-queue.ts'
import { createValue, type Value, type WritableValue } from '../value.ts'
import { LateWriteRules } from '../write-rules/late-write-rules.ts'
import { openWithTables, type AppliedTables } from './apply-tables.ts'
import { Connection } from './connection.ts'
import type { BodySender } from '../attachments/transfer/body-sender.ts'
import { createConnector } from './connector.ts'
import { COUNT_UNSENT_SQL, type UnsentCount } from './count-unsent.ts'
import { watchDamage, type DamageWatch } from './damage.ts'
import { watchClaims } from './watch-claims.ts'
import { forgetReport, readLocalFile, type DamageReport } from './local-file.ts'
import { LocalSchema } from './local-schema.ts'
import type { OpenDatabase, RemoveDatabase } from './file-options.ts'
import { openFile, type OpenFile } from './open-file.ts'

/** One user's database on this device. */
export interface LocalDatabase {
  readonly userId: string
  readonly database: CommonPowerSyncDatabase
  /** The schema as last received from the server. */
  readonly schema: Value<SchemaDescriptor>
  readonly sync: Value<SyncState>
  readonly rejected: RejectedChanges
  /** This user's files; `undefined` if the app has no {@link AttachmentsOptions}. */
  readonly attachments: Attachments | undefined
  /** Full-text search; `undefined` if the app configures none. */
  readonly search: LocalSearch | undefined
  /** Tables with readable rows missing on this device, by the server's last report. */
  readonly incomplete: Value<readonly IncompleteTable[]>
  /**
   * The server's last write rules; `undefined` until {@link judge} has first fetched them. Listeners are notified when the result of {@link judge} may change.
   */
  readonly writeRules: Value<WriteRules | undefined>
  /**
   * Predicts Postgres's decision about writes as far as grants, policies and local rows determine it: `refused`, with the reason, only where Postgres refuses.
   * Results are in the order of `writes`. The server always decides.
   */
  judge(writes: readonly PlannedWrite[]): Promise<readonly Judgement[]>
  /** Set if this database replaced a damaged file, until {@link dismissDamage} is called. */
  readonly damage: Value<DamageReport | undefined>
  /** Acknowledges the damage and deletes the damaged file, if it was kept. */
  dismissDamage(): Promise<void>
  /** Counts unsent operations: in the outbox and in needs attention. */
  countUnsent(): Promise<UnsentCount>
  /** Checks for schema changes and rebuilds the local views if needed. Queued changes stay. */
  refreshSchema(): Promise<void>
  /**
   * Compares the synced tables with what the server shows the user, by checksums of tables and key ranges.
   *
   * @throws {CheckUnavailable} if currently impossible; the reason of `options.signal` on abort
   */
  checkDevice(options?: DeviceCheckOptions): Promise<DeviceCheck>
  /**
   * Downloads everything again, for a device that a check found different. Rejected changes and other local-only data stay.
   *
   * @throws {CheckUnavailable} if the outbox has changes, which would be lost. Nothing was changed
   */
  resync(): Promise<void>
  /** Starts or resumes syncing. Returns before the connection is established. */
  connect(): void
  disconnect(): Promise<void>
  close(): Promise<void>
}

export interface LocalDatabaseOptions {
  readonly url: string
  readonly userId: string
  readonly schema: SchemaDescriptor
  readonly session: Session
  readonly store: KeyValueStore
  readonly openDatabase: OpenDatabase
  readonly removeDatabase: RemoveDatabase | undefined
  readonly anonKey: string
  readonly attachments: AttachmentsOptions | undefined
  readonly search: ChooseSearched | undefined
  readonly fetch: typeof globalThis.fetch
  readonly bodies: BodySender
  readonly now: () => number
  readonly random: () => number
  /** Receives background errors without a screen of their own. */
  readonly onProblem: (error: unknown) => void
  /** Names of files this tab found damaged. */
  readonly damagedFiles: Set<string>
  /** The file is damaged: close the database and open it again. */
  readonly onDamage: () => void
}

/** Delay in ms before cleaning up after a checkpoint, during which the sync state changes many times. */
const FORGET_DELAY_MS = 500

/** Refusals that indicate a changed table or column. */
const SCHEMA_REFUSALS: ReadonlySet<string> = new Set(['42703', '42P01'])

/** Opens one user's database. It is immediately readable and writable; {@link LocalDatabase.connect} starts syncing. */
export async function openLocalDatabase(options: LocalDatabaseOptions): Promise<LocalDatabase> {
  const { file, schema, omitted } = await openWithTables(options.schema, (schema) => openFile({ ...options, schema }))
  const watch = watchDamage(file.database, { ...options, fileName: file.fileName })
  void watch.met.then(options.onDamage)
  try {
    return await openParts(file, watch, { ...options, schema, omitted })
  } catch (error) {
    watch[Symbol.dispose]()
    await file.database.close().catch(options.onProblem)
    file[Symbol.dispose]()
    throw error
  }
}

type OpenedOptions = LocalDatabaseOptions & AppliedTables

async function openParts(file: OpenFile, watch: DamageWatch, options: OpenedOptions): Promise<LocalDatabase> {
  const { url, userId, session, fetch, now, random, onProblem } = options
  const { database } = file
  const tokens = session.tokensOf(userId)
  const token = (): Promise<string | undefined> => tokens.token()
  const inBackground = (work: Promise<void>): void =>
    void work.catch((error: unknown) => (database.closed ? undefined : onProblem(error)))
  const connection = new Connection(database, () => connector, inBackground)
  const { isWanted } = connection
  const link = openLink(database, {
    url,
    userId,
    fetch,
    now,
    isWanted,
    restartStream: () => inBackground(connection.restart()),
    onBack: wake,
  })
  const schema = new LocalSchema(database, connection, {
    ...options,
    token,
    inBackground,
    onAnswer: () => link.heard(),
  })
  const queue = new UploadQueue({
    post: createPostUpload(url, fetch, link.upload),
    tokens,
    now,
    random,
    rules: schema.rules,
    onRejected: (verdict) => {
      if (verdict.status === 'error' && SCHEMA_REFUSALS.has(verdict.sqlstate)) inBackground(schema.refresh())
    },
  })
  const connector = createConnector(url, tokens, queue)
  // Its script loads while the database answers other queries.
  const searching = loadSearch(database, schema.value, options)
  const incomplete = await watchIncomplete(database, { ...options, token, omitted: schema.omitted })
  const facts = { session: session.state, link: link.state, incomplete: incomplete.tables }
  const sync = watchSyncState(database, facts, isWanted, now)
  const onSettled = (): void => inBackground(forgetBases(database))
  const status = watchConnection(database, { onConnected: wake, onSettled })
  const writeRules = new LateWriteRules(async () => {
    const { LocalWriteRules } = await import('../write-rules/local-write-rules.ts')
    return LocalWriteRules.open(database, { ...options, schema: schema.value, token, inBackground })
  }, inBackground)
  const refresh = (): void => [schema, writeRules].forEach((part) => inBackground(part.refresh()))
  const hints = watchSchemaHints(database, refresh, onProblem)
  const claims = watchClaims(session, userId, () => {
    inBackground(connection.restart())
    refresh()
  })
  const server = { ...options, tokens, session: session.state, schema: schema.value, isWanted }
  const [search, files] = await Promise.all([
    searching,
    options.attachments && openAttachments(database, options.attachments, server),
  ])

  return toLocalDatabase({
    options,
    file,
    damage: createValue((await readLocalFile(options.store, userId)).report),
    database,
    connection,
    schema,
    sync: sync.state,
    incomplete: incomplete.tables,
    files,
    writeRules,
    search,
    parts: [watch, status, schema, writeRules, hints, claims, sync, incomplete, link, ...(search ? [search] : [])],
  })

  /** Call when the server becomes reachable. */
  function wake(): void {
    queue.wake()
    files?.wake()
  }
}

/** Search works without the index, only slower. */
async function loadSearch(
  database: CommonPowerSyncDatabase,
  schema: Value<SchemaDescriptor>,
  { search: searched, userId, onProblem }: LocalDatabaseOptions,
): Promise<(LocalSearch & Disposable) | undefined> {
  if (!searched) return undefined
  try {
    const { openSearch } = await import('../search/open-search.ts')
    return openSearch(database, { userId, schema, searched, onProblem })
  } catch (error) {
    onProblem(error)
    return undefined
  }
}

/** Parts of an open database. */
interface LocalDatabaseParts {
  readonly options: LocalDatabaseOptions
  readonly file: OpenFile
  readonly damage: WritableValue<DamageReport | undefined>
  readonly database: CommonPowerSyncDatabase
  readonly connection: Connection
  readonly schema: LocalSchema
  readonly sync: Value<SyncState>
  readonly incomplete: Value<readonly IncompleteTable[]>
  readonly files: Awaited<ReturnType<typeof openAttachments>> | undefined
  readonly writeRules: LateWriteRules
  readonly search: LocalSearch | undefined
  /** Disposed before the connection is closed. */
  readonly parts: readonly Disposable[]
}

function toLocalDatabase({
  options,
  file,
  damage,
  database,
  connection,
  schema,
  sync,
  incomplete,
  files,
  writeRules,
  search,
  parts,
}: LocalDatabaseParts): LocalDatabase {
  return {
    userId: options.userId,
    database,
    schema: schema.value,
    sync,
    rejected: createRejectedChanges(database, schema.rules, options.now),
    attachments: files?.attachments,
    search,
    incomplete,
    writeRules: writeRules.value,
    judge: writeRules.judge,
    refreshSchema: schema.refresh,
    damage,
    async dismissDamage() {
      const kept = damage.get()?.fileName
      await forgetReport(options.store, options.userId)
      damage.set(undefined)
      if (kept !== undefined) await options.removeDatabase?.(kept)
    },
    countUnsent: () => database.get<UnsentCount>(COUNT_UNSENT_SQL),
    async checkDevice(given = {}) {
      const { checkDevice } = await import('../check/check-device.ts')
      await schema.refresh()
      const { url, fetch, session, userId } = options
      const tokens = session.tokensOf(userId)
      const tables = schema.value.get().tables.map(({ name }) => name)
      const left = new Set(incomplete.get().map(({ table }) => table))
      return checkDevice({ database, url, fetch, token: () => tokens.token(), tables, incomplete: left }, given)
    },
    async resync() {
      const { removeSyncedRows } = await import('../check/resync.ts')
      await connection.disconnected(() => removeSyncedRows(database))
      connection.connect()
      files?.wake()
    },
    connect() {
      connection.connect()
      files?.wake()
    },
    disconnect() {
      const disconnected = connection.disconnect()
      files?.wake()
      return disconnected
    },
    async close() {
      connection.stop()
      for (const part of parts) part[Symbol.dispose]()
      await files?.close()
      try {
        await connection.close()
      } finally {
        file[Symbol.dispose]()
      }
    },
  }
}

/**
 * Observes the SDK's status.
 *
 * @param on.onConnected - the connection is back
 * @param on.onSettled - {@link FORGET_DELAY_MS} after the first of several changes
 */
function watchConnection(
  database: CommonPowerSyncDatabase,
  on: { readonly onConnected: () => void; readonly onSettled: () => void },
): Disposable {
  let wasConnected = false
  let settling: ReturnType<typeof setTimeout> | undefined
  const stop = database.registerListener({
    statusChanged: ({ connected }) => {
      if (connected && !wasConnected) on.onConnected()
      wasConnected = connected
      settling ??= setTimeout(() => {
        settling = undefined
        on.onSettled()
      }, FORGET_DELAY_MS)
    },
  })
  return {
    [Symbol.dispose]() {
      stop()
      clearTimeout(settling)
    },
  }
}
