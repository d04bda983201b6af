import type { CommonPowerSyncDatabase, Schema } from '@powersync/common'
import type { IncompleteTable, SchemaDescriptor } from '@holdfast/protocol'
import type { Attachments } from '../attachments/attachments.ts'
import type { AttachmentsOptions } from '../attachments/attachments-options.ts'
import { openAttachments } from '../attachments/open-attachments.ts'
import { createRejectedChanges, type RejectedChanges } from '../attention/rejected-changes.ts'
import type { KeyValueStore } from '../key-value.ts'
import { openLink } from '../link/open-link.ts'
import { cacheSchema, fetchSchema } from '../schema/fetch-schema.ts'
import { guardsOfSchema, linksOfSchema } from '../schema/column-rules.ts'
import { toLocalSchema } from '../schema/to-local-schema.ts'
import { watchSchemaHints } from '../schema/watch-schema-hints.ts'
import type { Session } from '../session/session.ts'
import type { SyncState } from '../status/sync-state.ts'
import { watchIncomplete } from '../status/watch-incomplete.ts'
import { watchSyncState } from '../status/watch-sync-state.ts'
import { retryDelayMs } from '../upload/backoff.ts'
import type { DependencyRules } from '../upload/depends-on.ts'
import { forgetBases } from '../upload/guard-bases.ts'
import { createPostUpload } from '../upload/post-upload.ts'
import { createUploadQueue } from '../upload/upload-queue.ts'
import { createValue, type Value } from '../value.ts'
import { createConnector } from './connector.ts'

/** Makes the SQLite database; the app chooses the package (`@powersync/web`, `@powersync/node`) and where files lie. */
export type OpenDatabase = (options: {
  readonly schema: Schema
  readonly fileName: string
}) => CommonPowerSyncDatabase | Promise<CommonPowerSyncDatabase>

/** What is not on the server yet. */
export interface UnsentCount {
  /** Operations in the outbox. */
  readonly waiting: number
  /** Refused changes without a decision. */
  readonly attention: number
  /** Files whose bytes are nowhere else, those that were refused included. */
  readonly files: number
}

/** Live queries of the count use the same words. */
export const COUNT_UNSENT_SQL = `select (select count(*) from ps_crud) as waiting,
       (select count(*) from hf_local_attention where state = 'open') as attention,
       (select count(*) from hf_local_files where state in ('captured', 'preparing', 'queued', 'uploading', 'refused')) as files`

/** One person's database on this device. */
export interface LocalDatabase {
  readonly userId: string
  readonly database: CommonPowerSyncDatabase
  /** The tables as the server described them last. */
  readonly schema: Value<SchemaDescriptor>
  readonly sync: Value<SyncState>
  readonly rejected: RejectedChanges
  /** Files of this person; `undefined` when the app keeps none ({@link AttachmentsOptions}). */
  readonly attachments: Attachments | undefined
  /** Tables of which rows that the person may read are not on this device, as the server said last. */
  readonly incomplete: Value<readonly IncompleteTable[]>
  /** Operations that are not on the server: in the outbox and in needs attention. */
  countUnsent(): Promise<UnsentCount>
  /** Asks whether the tables have changed, and rebuilds the local views if so. Waiting changes stay. */
  refreshSchema(): Promise<void>
  /** Starts, or after {@link disconnect} resumes, syncing. Resolves before the first connection is there. */
  connect(): void
  disconnect(): Promise<void>
  /** @param wipe - also removes everything that is in it */
  close(options?: { readonly wipe?: boolean }): Promise<void>
}

export interface LocalDatabaseOptions {
  readonly url: string
  readonly userId: string
  readonly schema: SchemaDescriptor
  readonly session: Session
  readonly store: KeyValueStore
  readonly openDatabase: OpenDatabase
  readonly anonKey: string
  readonly attachments: AttachmentsOptions | undefined
  readonly fetch: typeof globalThis.fetch
  readonly now: () => number
  readonly random: () => number
  /** Receives what goes wrong in the background and has no screen of its own. */
  readonly onProblem: (error: unknown) => void
}

/** Until the stream is tried again after it ended, in milliseconds. The SDK's 5 s would show every restart of the server. */
const STREAM_RETRY_MS = 1_000

/** Local writes are sent after at most this long, in milliseconds. */
const UPLOAD_THROTTLE_MS = 100

/** The state of sync changes many times for one checkpoint; what it made unnecessary is looked at this long after the first time, in milliseconds. */
const FORGET_DELAY_MS = 500
/** Changes of a schema come in groups, and this one may have been the middle of one. Milliseconds. */
const SCHEMA_SETTLES_MS = 5_000

/** Opens the database of one person. It is readable and writable at once; {@link LocalDatabase.connect} brings the network in. */
export async function openLocalDatabase(options: LocalDatabaseOptions): Promise<LocalDatabase> {
  const { url, userId, session, store, now, random, onProblem } = options
  const schema = createValue(options.schema)
  const tokens = session.tokensOf(userId)
  let linksOf = linksOfSchema(options.schema)
  let guardOf = guardsOfSchema(options.schema)
  const database = await options.openDatabase({
    schema: toLocalSchema(options.schema),
    fileName: `holdfast-${userId}.db`,
  })
  await database.init()

  let wanted = false
  const isWanted = (): boolean => wanted
  const link = openLink(database, {
    url,
    userId,
    fetch: options.fetch,
    now,
    isWanted,
    restartStream: () => inBackground(inTurn(restartStream)),
    onBack: wake,
  })
  const rules: DependencyRules = {
    linksOf: (table) => linksOf(table),
    guardOf: (table, column) => guardOf(table, column),
  }
  const queue = createUploadQueue({
    post: createPostUpload(url, options.fetch, link.upload),
    tokens,
    rules,
    now,
    random,
    onRejected: (verdict) => {
      const tablesChanged = verdict.status === 'error' && ['42703', '42P01'].includes(verdict.sqlstate)
      if (tablesChanged) inBackground(refreshSchema())
    },
  })
  const connector = createConnector(url, tokens, queue)
  const incomplete = await watchIncomplete(database, {
    url,
    userId,
    store,
    fetch: options.fetch,
    token: () => tokens.token(),
    now,
    onProblem,
  })
  const facts = { session: session.state, link: link.state, incomplete: incomplete.tables }
  const sync = watchSyncState(database, facts, isWanted, now)
  let forgetting: ReturnType<typeof setTimeout> | undefined
  let wasConnected = false
  const stopStatus = database.registerListener({
    statusChanged: ({ connected }) => {
      if (connected && !wasConnected) wake()
      wasConnected = connected
      forgetting ??= setTimeout(() => {
        forgetting = undefined
        inBackground(forgetBases(database))
      }, FORGET_DELAY_MS)
    },
  })
  const hints = watchSchemaHints(database, () => inBackground(refreshSchema()), onProblem)
  const files =
    options.attachments &&
    (await openAttachments(database, options.attachments, {
      ...options,
      tokens,
      session: session.state,
      schema,
      isWanted,
    }))
  let unanswered = 0
  let askingAgain: ReturnType<typeof setTimeout> | undefined
  // Connecting, disconnecting and changing the schema take turns.
  let turn: Promise<void> = Promise.resolve()

  return {
    userId,
    database,
    schema,
    sync: sync.state,
    rejected: createRejectedChanges(database, rules, now),
    attachments: files?.attachments,
    incomplete: incomplete.tables,
    refreshSchema,
    countUnsent: () => database.get<UnsentCount>(COUNT_UNSENT_SQL),
    connect() {
      wanted = true
      files?.wake()
      inBackground(inTurn(connectIfWanted))
    },
    disconnect() {
      wanted = false
      files?.wake()
      return inTurn(() => database.disconnect())
    },
    async close(close = {}) {
      wanted = false
      stopStatus()
      clearTimeout(forgetting)
      clearTimeout(askingAgain)
      hints[Symbol.dispose]()
      sync[Symbol.dispose]()
      incomplete[Symbol.dispose]()
      link[Symbol.dispose]()
      await files?.close({ wipe: close.wipe === true })
      await inTurn(async () => {
        if (close.wipe) await database.disconnectAndClear()
        await database.close()
      })
    },
  }

  /** The server can be reached again. */
  function wake(): void {
    queue.wake()
    files?.wake()
  }

  async function connectIfWanted(): Promise<void> {
    if (!wanted || database.closed) return
    // The SDK's promise ends with the first connection; waiting for it here would keep `disconnect` waiting while offline.
    inBackground(
      database.connect(connector, { retryDelayMs: STREAM_RETRY_MS, crudUploadThrottleMs: UPLOAD_THROTTLE_MS }),
    )
  }

  async function restartStream(): Promise<void> {
    if (!wanted || database.closed) return
    await database.disconnect()
    await connectIfWanted()
  }

  async function refreshSchema(): Promise<void> {
    const token = await tokens.token()
    if (token === undefined) return
    const answer = await fetchSchema({ url, token, version: schema.get().version }, options.fetch)
    // A server that compiles its policies anew has no answer for a moment.
    if (answer.kind === 'failed') return askAgain(retryDelayMs(++unanswered, undefined, random))
    unanswered = 0
    link.heard()
    if (answer.kind === 'unchanged') return
    await inTurn(async () => {
      if (database.closed || answer.schema.version === schema.get().version) return
      await cacheSchema(store, userId, answer.schema)
      await database.disconnect()
      await database.updateSchema(toLocalSchema(answer.schema))
      linksOf = linksOfSchema(answer.schema)
      guardOf = guardsOfSchema(answer.schema)
      schema.set(answer.schema)
      await connectIfWanted()
    })
    askAgain(SCHEMA_SETTLES_MS)
  }

  /** Asks once more, in a while: what has said that there is something new will not say it again. */
  function askAgain(afterMs: number): void {
    askingAgain ??= setTimeout(() => {
      askingAgain = undefined
      if (wasConnected) inBackground(refreshSchema()) // else it is asked with the next connection
    }, afterMs)
    ;(askingAgain as { unref?: () => void }).unref?.()
  }

  function inTurn(body: () => Promise<void>): Promise<void> {
    const mine = turn.then(body)
    turn = mine.catch(() => undefined) // its caller hears of it; the next in turn must still run
    return mine
  }

  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!database.closed) onProblem(error)
    })
  }
}
