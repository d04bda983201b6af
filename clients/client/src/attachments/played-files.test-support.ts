import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { column, Schema, Table } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { createValue, type WritableValue } from '../value.ts'
import { localTables } from '../schema/local-tables.ts'
import type { AttachmentsOptions } from './attachments-options.ts'
import { createAttachments, type Attachments } from './attachments.ts'
import { randomName } from './file-names.ts'
import type { FileEntry, FileState } from './file-state.ts'
import { createFileTable, type FileTable } from './file-table.ts'
import type { FileStore } from './files/file-store.ts'
import { folderFiles } from './files/folder-files.ts'
import type { TransferPause } from './gate.ts'
import { leadTransfers } from './lead-transfers.ts'
import { fetchSender } from './transfer/body-sender.ts'
import { playStorage, type PlayedStorage } from './played-storage.test-support.ts'

const schema = new Schema({
  photos: new Table({ path: column.text, state: column.text, is_due: column.integer }, { trackMetadata: true }),
  ...localTables,
})

const ROWS_SQL = `select id, path, state = 'uploaded' as is_uploaded, is_due as is_eager from photos`

/** A user's device: real database and folder, simulated network. */
export interface PlayedFiles extends AsyncDisposable {
  readonly database: PowerSyncDatabase
  readonly storage: PlayedStorage
  readonly pause: WritableValue<TransferPause>
  readonly problems: unknown[]
  nowMs: number
  store: FileStore
  attachments: Attachments
  options: Partial<AttachmentsOptions>
  /** Called before and after each step with side effects; an error ends the step there. */
  onStep: (step: string) => void
  /** Starts a transferring tab. @returns a function that ends it like a crash, without cleanup */
  lead(): () => Promise<void>
  add(bytes: Blob): Promise<FileEntry>
  /** Makes the server accept the whole outbox. */
  acceptOutbox(): Promise<void>
  state(id: string): Promise<FileState | undefined>
  /** Advances the time to the next attempt. */
  pass(ms: number): void
  photoState(id: string): Promise<string | undefined>
}

export async function openPlayedFiles(): Promise<PlayedFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-files-'))
  const database = await openDatabase(folder)
  const storage = playStorage()
  const store = await folderFiles(join(folder, 'files'))('dana')
  const pause = createValue<TransferPause>(undefined)
  const problems: unknown[] = []
  const stops: (() => Promise<void>)[] = []
  const played: PlayedFiles = {
    database,
    storage,
    pause,
    problems,
    nowMs: Date.now(),
    store,
    options: {},
    onStep: () => undefined,
    attachments: undefined as unknown as Attachments,
    lead() {
      const stop = leadUntilStopped(played)
      stops.push(stop)
      return stop
    },
    add: (bytes) =>
      played.attachments.add(bytes, { name: 'pump.jpg', mediaType: 'image/jpeg' }, (tx, { id, path }) =>
        tx.execute("insert into photos (id, path, state, is_due) values (?, ?, 'declared', 0)", [id, path]),
      ),
    async acceptOutbox() {
      for (let next = await database.getNextCrudTransaction(); next; next = await database.getNextCrudTransaction())
        await next.complete()
    },
    state: async (id) => (await played.attachments.find(id))?.state,
    pass(ms) {
      played.nowMs += ms
      pause.set('person')
      pause.set(undefined)
    },
    photoState: async (id) =>
      (await database.getOptional<{ state: string }>('select state from photos where id = ?', [id]))?.state,
    async [Symbol.asyncDispose]() {
      await Promise.all(stops.map((stop) => stop()))
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  played.attachments = createAttachments({ ...contextOf(played), userId: 'dana', remember: async () => undefined })
  return played
}

async function openDatabase(folder: string): Promise<PowerSyncDatabase> {
  const database = new PowerSyncDatabase({
    schema,
    database: {
      dbFilename: 'device.db',
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
  })
  await database.init()
  return database
}

/** Starts a transferring tab. @returns a function that stops it */
function leadUntilStopped(played: PlayedFiles): () => Promise<void> {
  const { storage, pause, problems } = played
  const ended = new AbortController()
  const running = leadTransfers(
    {
      ...contextOf(played),
      endpoint: {
        url: 'http://played.example',
        anonKey: 'anon',
        tokens: { token: async () => 'dana', refreshedToken: async () => 'dana' },
        fetch: stepped(played, 'fetch', storage.fetch),
        bodies: fetchSender(stepped(played, 'fetch', storage.fetch)),
      },
      bucket: 'photos',
      rows: ROWS_SQL,
      newName: randomName,
      begun: { sent: new Map(), fetched: new Map() },
      onSignInNeeded: () => pause.set('sign_in'),
    },
    ended.signal,
  ).catch((error: unknown) => void problems.push(error))
  const stop = async (): Promise<void> => {
    ended.abort(new Error('closed'))
    await running
  }
  return stop
}

/** Shared context of transfers and app. Changed options, store or clock of `played` apply to the next one. */
function contextOf(played: PlayedFiles): Pick<
  Parameters<typeof leadTransfers>[0],
  'database' | 'cacheBytesMax' | 'pause' | 'now' | 'onProblem'
> & {
  readonly table: FileTable
  readonly store: FileStore
  readonly options: AttachmentsOptions
} {
  const { database, store, pause, problems } = played
  const table = createFileTable(database, { now: () => played.nowMs, random: () => 0.5 })
  const options: AttachmentsOptions = {
    files: async () => store,
    bucket: 'photos',
    rows: ROWS_SQL,
    link: (tx, { id }) => tx.execute("update photos set state = 'uploaded' where id = ?", [id]),
    ...played.options,
  }
  const now = (): number => played.nowMs
  const { cacheBytesMax: limit = 1e9 } = options
  const cacheBytesMax = typeof limit === 'function' ? limit : () => limit
  const apply = stepped(played, 'apply', table.apply)
  return {
    database,
    table: { ...table, apply },
    store: { ...store, write: stepped(played, 'write', store.write), remove: stepped(played, 'remove', store.remove) },
    options,
    cacheBytesMax,
    pause,
    now,
    onProblem: (error) => void problems.push(error),
  }
}

function stepped<Args extends unknown[], T>(
  played: PlayedFiles,
  name: string,
  body: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    played.onStep(`before ${name}`)
    const result = await body(...args)
    played.onStep(`after ${name}`)
    return result
  }
}
