import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { HoldfastClient, LocalDatabase } from '@holdfast/client'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { openNetwork, type OwnNetwork, type TestNetwork } from './network.ts'
import { TestingError } from './testing-error.ts'

/** A user's device: the public clients with a local database in a file, combined by `@holdfast/client`. */
export interface TestDevice extends AsyncDisposable {
  readonly client: HoldfastClient
  readonly local: LocalDatabase
  /** The PowerSync database with the device's rows. */
  readonly database: CommonPowerSyncDatabase
  /** Between this device and the server. */
  readonly network: TestNetwork
  /**
   * Waits until all local writes are judged, and everything committed before this call has arrived.
   *
   * @throws {TestingError} `test_device_failed`, with the device's status
   */
  settle(): Promise<void>
}

export interface DeviceGround {
  /** The server's URL, bypassing the test network. */
  readonly target: string
  readonly anonKey: string
  readonly account: { readonly email: string; readonly password: string }
}

/** Timeout in ms for a device to reach the expected state. */
const PATIENCE_MS = 60_000

const POLL_MS = 20

/** Signs a user in on a new device and waits for its first sync. @throws {TestingError} `test_device_failed` */
export async function openDevice({ target, anonKey, account }: DeviceGround): Promise<TestDevice> {
  const { createClient, memoryStore } = await load(() => import('@holdfast/client'), '@holdfast/client')
  const { PowerSyncDatabase } = await load(() => import('@powersync/node'), '@powersync/node')
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-device-'))
  const network = await openNetwork(target)
  const client = createClient({
    url: network.url,
    anonKey,
    store: memoryStore(),
    // Results show in the rows, and tests cut networks on purpose.
    onProblem: () => undefined,
    openDatabase: ({ schema, fileName }) =>
      new PowerSyncDatabase({
        schema,
        database: {
          // Within a process, the SDK lets only one connection sync a given file name, whatever its folder.
          dbFilename: `${basename(folder)}-${fileName}`,
          dbLocation: folder,
          implementation: { type: 'node:sqlite' },
          readWorkerCount: 1,
        },
        // It logs every broken connection, and tests break them on purpose.
        logger: { log: () => undefined },
      }),
  })
  const close = async (): Promise<void> => {
    await client[Symbol.asyncDispose]()
    await network[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const { error } = await client.supabase.auth.signInWithPassword(account)
    if (error) throw failed(`${account.email} cannot sign in: ${error.message}`)
    const local = await openLocal(client)
    await local.database.waitForFirstSync(AbortSignal.timeout(PATIENCE_MS))
    if (!local.database.currentStatus.hasSynced)
      throw failed(`The first sync of ${account.email} did not complete: ${local.database.currentStatus.getMessage()}`)
    return {
      client,
      local,
      database: local.database,
      network: network satisfies OwnNetwork,
      settle: () => settle(target, client, local),
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function load<T>(loading: () => Promise<T>, name: string): Promise<T> {
  try {
    return await loading()
  } catch (error) {
    throw new TestingError(
      {
        code: 'test_package_missing',
        message: `A device needs the package ${name}, which cannot be loaded.`,
        hint: 'npm install --save-dev @holdfast/client @powersync/common @powersync/node',
      },
      error,
    )
  }
}

function openLocal(client: HoldfastClient): Promise<LocalDatabase> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => finish(failed(`The local database did not open: ${JSON.stringify(client.device.get())}`)),
      PATIENCE_MS,
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

/** Requests a write checkpoint as the SDK does after an upload, and waits until the device has applied it. */
async function settle(target: string, client: HoldfastClient, local: LocalDatabase): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) {
      if (performance.now() > deadline)
        throw failed(`The device timed out waiting for ${what}: ${local.database.currentStatus.getMessage()}`)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
  await until('its local writes to be sent', async () => (await local.countUnsent()).waiting === 0)
  const clientId = await local.database.getClientId()
  const { data } = await client.supabase.auth.getSession()
  const response = await fetch(`${target}/write-checkpoint2.json?client_id=${clientId}`, {
    headers: { authorization: `Token ${data.session?.access_token ?? ''}` },
  })
  if (!response.ok) throw failed(`The server refused a write checkpoint: ${response.status} ${await response.text()}`)
  const checkpoint = BigInt(((await response.json()) as { data: { write_checkpoint: string } }).data.write_checkpoint)
  await until(`checkpoint ${checkpoint}`, async () => (await appliedCheckpoint(local.database)) >= checkpoint)
}

/** Returns the last applied write checkpoint. The SDK does not expose it; its extension stores it here (0.5.x). */
async function appliedCheckpoint(database: CommonPowerSyncDatabase): Promise<bigint> {
  const row = await database.getOptional<{ value: string }>(
    `select cast(value as text) as value from ps_kv where key = 'last_applied_checkpoint_request_id'`,
  )
  return BigInt(row?.value ?? 0)
}

function failed(message: string): TestingError {
  return new TestingError({
    code: 'test_device_failed',
    message,
    hint: 'Check the server’s log with holdfast.log(). A cut network must be restored first.',
  })
}
