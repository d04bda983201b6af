import { existsSync, mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PowerSyncDatabase } from '@powersync/node'
import { afterEach, expect } from 'vitest'
import type { SchemaDescriptor } from '@holdfast/protocol'
import type { OpenFileStore } from '../attachments/files/file-store.ts'
import { folderFiles } from '../attachments/files/folder-files.ts'
import { fetchSender } from '../attachments/transfer/body-sender.ts'
import { memoryStore, type KeyValueStore } from '../key-value.ts'
import { PendingRemovals } from './pending-removals.ts'
import { openDeviceUsers } from '../session/device-users.ts'
import { cacheSchema } from '../schema/fetch-schema.ts'
import type { SessionState } from '../session/session-state.ts'
import type { UserTokens } from '../session/session.ts'
import { createValue, type WritableValue } from '../value.ts'
import { type Device, openDevice } from './device.ts'
import type { DatabaseBytes, OpenDatabase } from './file-options.ts'
import { DeviceLock } from './lock/device-lock.ts'
import type { LocalDatabase } from './local-database.ts'

// Offline throughout: nothing listens at the server's address.

const schema: SchemaDescriptor = {
  version: '1',
  tables: [
    {
      name: 'notes',
      schema: 'public',
      table: 'notes',
      columns: [
        { name: 'id', local: 'text', type: 'uuid', nullable: false, hasDefault: true, generated: false },
        { name: 'body', local: 'text', type: 'text', nullable: true, hasDefault: false, generated: false },
      ],
      can: { insert: true, update: true, delete: true },
      indexes: [],
    },
  ],
}
export const ana: SessionState = { kind: 'active', user: { id: 'a', email: 'ana@example.org' } }
export const ben: SessionState = { kind: 'active', user: { id: 'b', email: undefined } }

export interface World {
  readonly device: Device
  readonly lock: DeviceLock
  /** Folder of its database files. */
  readonly folder: string
  readonly session: WritableValue<SessionState>
  readonly people: ReturnType<typeof openDeviceUsers>
  readonly removals: PendingRemovals
  readonly store: KeyValueStore
  /** Waits until the user's database is open. */
  opened(userId: string): Promise<LocalDatabase>
}

/** A user's SQLite file in a folder. */
function databaseIn(folder: string, { schema: local, fileName }: Parameters<OpenDatabase>[0]): PowerSyncDatabase {
  return new PowerSyncDatabase({
    schema: local,
    logger: { log: () => undefined }, // the missing server is intended
    database: {
      dbFilename: fileName,
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
      // Browser tabs wait for each other; in Node a second writer fails immediately.
      initializeConnection: async (connection) => void (await connection.execute('pragma busy_timeout = 30000')),
    },
  })
}

const ending: (() => Promise<void>)[] = []
/** Closes after each test what it opened. Every test file must call it, because files share this module. */
export function withDeviceWorlds(): void {
  afterEach(async () => {
    for (const end of ending.splice(0).toReversed()) await end()
  })
}

/**
 * @param like.beside - another tab of the same browser
 * @param like.beforeOpen - runs before opening a file
 * @param like.store - replaces the other tab's store
 * @param like.removeDatabase - replaces deleting the file
 * @param like.fetch - requests the schema from the server
 */
export async function openWorld(
  first: SessionState = ana,
  like: {
    readonly beside?: World
    readonly beforeOpen?: (fileName: string) => Promise<void>
    readonly store?: KeyValueStore
    readonly forgetUser?: (userId: string) => void
    readonly removeDatabase?: 'unsupported' | ((fileName: string, folder: string) => Promise<void>)
    readonly fetch?: typeof globalThis.fetch
    /** What signs out is encrypted. Default: false. */
    readonly locks?: boolean
    /** Replaces the server's keys of locks. */
    readonly lockKey?: () => Response
  } = {},
): Promise<World> {
  const folder = like.beside?.folder ?? mkdtempSync(join(tmpdir(), 'holdfast-device-'))
  const store = like.store ?? like.beside?.store ?? memoryStore()
  for (const userId of ['a', 'b']) await cacheSchema(store, userId, schema)
  const session = createValue<SessionState>(first)
  const people = openDeviceUsers(store, () => 1_000)
  const removals = new PendingRemovals(store)
  const remove = typeof like.removeDatabase === 'function' ? like.removeDatabase : removeDatabase
  const files = folderFiles(join(folder, 'files'))
  const lock = lockIn(folder, { store, files, remove, lockKey: like.lockKey })
  const device = openDevice({
    url: 'http://127.0.0.1:1',
    store,
    people,
    removals,
    forgetUser: like.forgetUser,
    lock: like.locks === true ? async () => lock : undefined,
    session: {
      state: session,
      claims: createValue(undefined),
      tokensOf: () => tokensIn(session),
      leave: async () => session.set({ kind: 'signed_out' }),
      openLocally: async () => undefined,
      [Symbol.dispose]: () => undefined,
    },
    async openDatabase(file) {
      await like.beforeOpen?.(file.fileName)
      return databaseIn(folder, file)
    },
    removeDatabase: like.removeDatabase === 'unsupported' ? undefined : (fileName) => remove(fileName, folder),
    anonKey: 'anon',
    attachments: {
      files,
      bucket: 'photos',
      rows: 'select id, null as path from notes where 0',
    },
    search: undefined,
    fetch: like.fetch ?? globalThis.fetch,
    bodies: fetchSender(globalThis.fetch),
    now: () => 1_000,
    random: () => 0.5,
    onProblem: () => undefined,
  })
  ending.push(async () => {
    await device[Symbol.asyncDispose]()
    if (!like.beside) rmSync(folder, { recursive: true, force: true })
  })
  return {
    device,
    lock,
    folder,
    session,
    people,
    removals,
    store,
    async opened(userId) {
      await expect.poll(() => openUser(device), { timeout: 60_000 }).toBe(userId)
      const state = device.state.get()
      if (state.kind !== 'open') throw new Error('it is open')
      return state.local
    },
  }
}

function lockIn(
  folder: string,
  {
    store,
    files,
    remove,
    lockKey,
  }: {
    readonly store: KeyValueStore
    readonly files: OpenFileStore
    readonly remove: (fileName: string, folder: string) => Promise<void>
    readonly lockKey: (() => Response) | undefined
  },
): DeviceLock {
  return new DeviceLock({
    store,
    url: 'http://127.0.0.1:1',
    anonKey: 'anon',
    fetch: async () => lockKey?.() ?? Response.json(LOCK_KEY),
    now: () => 1_000,
    database: bytesIn(folder),
    removeDatabase: (fileName) => remove(fileName, folder),
    files,
  })
}

/** Only a session has a token. */
function tokensIn(session: WritableValue<SessionState>): UserTokens {
  return {
    token: async () => (session.get().kind === 'active' ? 'token' : undefined),
    refreshedToken: async () => undefined,
    credentials: async () => undefined,
    verify: async () => undefined,
  }
}

const LOCK_KEY = Buffer.alloc(32, 7).toString('base64')

function bytesIn(folder: string): DatabaseBytes {
  return {
    isSupported: async () => true,
    async read(fileName) {
      const found = new Map<string, Blob>()
      for (const end of ['', '-wal']) {
        const path = join(folder, `${fileName}${end}`)
        if (existsSync(path)) found.set(end, await openAsBlob(path))
      }
      return found
    },
    async write(fileName, suffix, bytes) {
      writeFileSync(join(folder, `${fileName}${suffix}`), await new Response(bytes as BodyInit).bytes())
    },
  }
}

export async function removeDatabase(fileName: string, folder: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `${fileName}${end}`), { force: true })
}

function openUser(device: Device): string | undefined {
  const state = device.state.get()
  return state.kind === 'open' ? state.local.userId : undefined
}

export const write = (local: LocalDatabase, body: string): Promise<unknown> =>
  local.database.execute('insert into notes (id, body) values (uuid(), ?)', [body])
export const notes = (local: LocalDatabase): Promise<readonly unknown[]> =>
  local.database.getAll('select body from notes')
