import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import {
  createClient,
  memoryStore,
  type HoldfastClient,
  type KeyValueStore,
  type LocalDatabase,
  type ClientOptions,
} from '@holdfast/client'
import type { TableDescriptor } from '@holdfast/protocol'
import { SAMPLE_PASSWORD, type Holdfast } from './open-holdfast.ts'
import { quietLogger } from './quiet-logger.ts'
import { byId, comparable, visibleRows, type ComparableRow } from './visible-rows.ts'

/** Timeout in ms for a device to reach the expected state. */
const SETTLE_TIMEOUT_MS = 120_000

/** A device: the public clients with a real local database file, connected by the client kit. */
export interface TestDevice extends AsyncDisposable {
  readonly email: string
  readonly client: HoldfastClient
  readonly local: LocalDatabase
  readonly database: CommonPowerSyncDatabase
  /** Local names of tables that sync by default. Excludes the history of records, which is requested per record. */
  tables(): readonly string[]
  table(name: string): TableDescriptor
  /** Returns the user's current access token. */
  token(): Promise<string>
  /** Returns a table's rows on the device, by id. */
  localRows(table: string): Promise<ReadonlyMap<string, ComparableRow>>
  /** Returns the rows that Postgres currently shows this user, by id, in the same form. */
  visibleRows(table: string): Promise<ReadonlyMap<string, ComparableRow>>
  goOffline(): Promise<void>
  goOnline(): void
  /** Waits until all local writes are decided and everything committed before this call has arrived. */
  settle(): Promise<void>
  /** Simulates a crash of the device's process and a restart on the same file, without signing in again. */
  reopen(): Promise<void>
}

export interface DeviceAccount {
  readonly email: string
  /** Default: the sample accounts' password. */
  readonly password?: string
}

/** State that a device keeps across processes. */
export interface DeviceHome {
  /** Contains the local database, whose name includes the folder's. */
  readonly folder: string
  /** The session and the client kit's state. */
  readonly store: KeyValueStore
}

/**
 * Signs a user in on a new device and waits for its first sync.
 *
 * @param home - of a previously used device, whose session replaces signing in, if present
 */
export async function openDevice(
  holdfast: Holdfast,
  account: DeviceAccount,
  home: DeviceHome = { folder: mkdtempSync(join(tmpdir(), 'holdfast-device-')), store: memoryStore() },
): Promise<TestDevice> {
  const { folder, store } = home
  let client = openClient(holdfast, folder, store)
  let local: LocalDatabase
  try {
    const { data } = await client.supabase.auth.getSession()
    if (data.session === null) {
      const { error } = await client.supabase.auth.signInWithPassword({
        email: account.email,
        password: account.password ?? SAMPLE_PASSWORD,
      })
      if (error) throw error
    }
    local = await waitForLocal(client).catch((error: Error) => {
      throw new Error(`${error.message}\n${holdfast.log()}`)
    })
    await local.database.waitForFirstSync(AbortSignal.timeout(SETTLE_TIMEOUT_MS))
    if (!local.database.currentStatus.hasSynced)
      throw new Error(
        `no first sync of ${account.email}: ${String(local.database.currentStatus.downloadError)}, ${local.database.currentStatus.getMessage()}\n${holdfast.log()}`,
      )
  } catch (error) {
    await client[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
    throw error
  }

  const tableOf = (name: string): TableDescriptor => {
    const table = local.schema.get().tables.find((candidate) => candidate.name === name)
    if (!table) throw new Error(`${name} is not on the device of ${account.email}`)
    return table
  }

  return {
    email: account.email,
    get client() {
      return client
    },
    get local() {
      return local
    },
    get database() {
      return local.database
    },
    tables: () => local.schema.get().tables.flatMap(({ name }) => (name === 'hf_history' ? [] : [name])),
    table: tableOf,
    token: () => tokenOf(client),
    async localRows(name) {
      const table = tableOf(name)
      const rows = await local.database.getAll<Record<string, unknown>>(`select * from "${name}"`)
      return byId(rows.map((row) => comparable(row, table)))
    },
    async visibleRows(name) {
      return visibleRows(holdfast.admin, await claimsOf(client), tableOf(name))
    },
    goOffline: () => local.disconnect(),
    goOnline: () => local.connect(),
    settle: () => settle(holdfast, client, local),
    async reopen() {
      await client[Symbol.asyncDispose]()
      client = openClient(holdfast, folder, store)
      local = await waitForLocal(client)
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function openClient(holdfast: Holdfast, folder: string, store: KeyValueStore): HoldfastClient {
  return createClient({
    url: holdfast.url,
    anonKey: holdfast.anonKey,
    store,
    openDatabase: databaseIn(folder),
    onProblem: () => undefined, // expected while things break; what matters shows in the rows
  })
}

function waitForLocal(client: HoldfastClient): Promise<LocalDatabase> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => finish(new Error(`the local database did not open: ${JSON.stringify(client.device.get())}`)),
      SETTLE_TIMEOUT_MS,
    )
    const unsubscribe = client.device.subscribe(look)
    look()

    function look(): void {
      const state = client.device.get()
      if (state.kind === 'open') finish(state.local)
      if (state.kind === 'failed') finish(state.error)
    }
    function finish(result: LocalDatabase | Error): void {
      clearTimeout(timer)
      queueMicrotask(() => unsubscribe())
      if (result instanceof Error) reject(result)
      else resolve(result)
    }
  })
}

async function claimsOf(client: HoldfastClient): Promise<Readonly<Record<string, unknown>>> {
  const token = await tokenOf(client)
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
}

async function tokenOf(client: HoldfastClient): Promise<string> {
  const { data } = await client.supabase.auth.getSession()
  if (!data.session) throw new Error('the device has no session')
  return data.session.access_token
}

/** Requests a write checkpoint like the SDK after an upload, and waits until the device has applied it. */
async function settle(holdfast: Holdfast, client: HoldfastClient, local: LocalDatabase): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS
  const until = (limit: number, what: string, isSo: () => Promise<boolean>): Promise<void> =>
    waitUntil(limit, isSo).catch(async () => {
      const { currentStatus } = local.database
      const health = await fetch(`${holdfast.url}/health`).then(
        (response) => response.text(),
        (error: unknown) => String(error),
      )
      const state = { ...currentStatus, applied: String(await appliedWriteCheckpoint(local.database)) }
      throw new Error(
        `waited in vain for ${what}: ${JSON.stringify(state)}, ${health}, ${holdfast.log().slice(-2_000)}`,
      )
    })
  await until(deadline, 'the outbox to be empty', async () => (await local.countUnsent()).waiting === 0)
  const clientId = await local.database.getClientId()
  let target = 0n
  await until(deadline, 'a write checkpoint', async () => {
    const response = await fetch(`${holdfast.url}/write-checkpoint2.json?client_id=${clientId}`, {
      headers: { authorization: `Token ${await tokenOf(client)}` },
    }).catch(() => undefined)
    if (response?.status !== 200) return false
    const body = (await response.json()) as { data: { write_checkpoint: string } }
    target = BigInt(body.data.write_checkpoint)
    return true
  })
  await until(
    deadline,
    `write checkpoint ${target}`,
    async () => (await appliedWriteCheckpoint(local.database)) >= target,
  )
  await until(deadline, 'the tables of what came', async () => {
    await local.refreshSchema()
    return !(await hasRowsWithoutTable(local.database))
  })
}

/** Rows may arrive before the device knows their table; the extension keeps them here until then. */
async function hasRowsWithoutTable(database: CommonPowerSyncDatabase): Promise<boolean> {
  return (await database.get<{ some: number }>('select exists (select 1 from ps_untyped) as some')).some === 1
}

/** Returns the latest write checkpoint applied to the local tables. The SDK does not expose it; its extension stores it here (0.5.x). */
async function appliedWriteCheckpoint(database: CommonPowerSyncDatabase): Promise<bigint> {
  const row = await database.getOptional<{ value: string }>(
    `select cast(value as text) as value from ps_kv where key = 'last_applied_checkpoint_request_id'`,
  )
  return BigInt(row?.value ?? 0)
}

async function waitUntil(deadline: number, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('too late')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Opens a client's database as a file in a folder, with the unmodified SDK. */
export function databaseIn(folder: string): ClientOptions['openDatabase'] {
  return ({ schema, fileName }) =>
    new PowerSyncDatabase({
      schema,
      database: {
        // The SDK lets only one connection per process sync a file name, regardless of its folder.
        dbFilename: `${basename(folder)}-${fileName}`,
        dbLocation: folder,
        implementation: { type: 'node:sqlite' },
        readWorkerCount: 1,
      },
      logger: quietLogger,
    })
}
