import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanup, renderHook, waitFor, type RenderHookResult } from '@testing-library/react'
import { PowerSyncDatabase } from '@powersync/node'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { JSX, ReactNode } from 'react'
import {
  createClient,
  folderFiles,
  memoryStore,
  type HoldfastClient,
  type LocalDatabase,
  type WriteRules,
} from '@holdfast/client'
import { HoldfastProvider } from './holdfast-provider.tsx'
import { WhenOpen } from './when-open.tsx'

/** A user of the device with an expired session, so no server is contacted. */
export const ANA = { id: 'ana', email: 'ana@example.org' }
export const BEN = { id: 'ben', email: 'ben@example.org' }

const column = (name: string): object => ({
  name,
  local: 'text',
  type: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
})
const table = (name: string, ...columns: readonly string[]): object => ({
  name,
  schema: 'public',
  table: name,
  columns: ['id', ...columns].map(column),
  can: { insert: true, update: true, delete: true },
  indexes: [],
})
const SCHEMA = JSON.stringify({ version: '1', tables: [table('notes', 'body'), table('photos', 'path')] })

/** An offline client with a real database and a real file folder. */
export interface OfflineClient extends AsyncDisposable {
  readonly client: HoldfastClient
  /** Waits until the user's database is open. */
  opened(userId?: string): Promise<LocalDatabase>
  /** Switches to another user of this device; the first one's data stays. */
  switchTo(person: typeof ANA): Promise<void>
  /** Renders a hook below the provider and {@link WhenOpen}. */
  render<Result, Props>(
    hook: (props: Props) => Result,
    options?: { readonly initialProps?: Props },
  ): RenderHookResult<Result | undefined, Props>
  readonly wrapper: (props: { readonly children: ReactNode }) => JSX.Element
}

/**
 * @param options.hasFiles - whether the client has attachments; default: true
 * @param options.writeRules - rules that the device has from an earlier connection
 */
export async function openOfflineClient({
  hasFiles = true,
  writeRules,
}: { readonly hasFiles?: boolean; readonly writeRules?: WriteRules } = {}): Promise<OfflineClient> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-react-'))
  const store = memoryStore()
  await store.setItem('holdfast-last-user', JSON.stringify(ANA))
  for (const { id } of [ANA, BEN]) await store.setItem(`holdfast-schema:${id}`, SCHEMA)
  if (writeRules) await store.setItem(`holdfast-write-rules:${ANA.id}`, JSON.stringify(writeRules))
  const client = createClient({
    url: 'http://127.0.0.1:1',
    anonKey: 'anon',
    store,
    fetch: () => Promise.reject(new TypeError('there is no network')),
    openDatabase: ({ schema, fileName }) => openDatabase(folder, schema, fileName),
    ...(hasFiles
      ? {
          attachments: {
            files: folderFiles(join(folder, 'files')),
            bucket: 'photos',
            rows: 'select id, path from photos',
          },
        }
      : {}),
  })
  const wrapper = ({ children }: { readonly children: ReactNode }): JSX.Element => (
    <HoldfastProvider client={client}>
      <WhenOpen>{children}</WhenOpen>
    </HoldfastProvider>
  )
  const opened = async (userId = ANA.id): Promise<LocalDatabase> =>
    waitFor(() => {
      const device = client.device.get()
      if (device.kind === 'open' && device.local.userId === userId) return device.local
      throw new Error(`the database of ${userId} is not open: ${device.kind}`)
    }, PATIENCE)
  await opened()
  return {
    client,
    opened,
    wrapper,
    async switchTo(person) {
      await client.openLocally(person)
      await opened(person.id)
    },
    render: (hook, options = {}) => renderHook(hook, { ...options, wrapper }),
    async [Symbol.asyncDispose]() {
      cleanup()
      await client[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Long timeout, because a busy machine is not a failure. */
export const PATIENCE = { timeout: 20_000 }

function openDatabase(
  dbLocation: string,
  schema: ConstructorParameters<typeof PowerSyncDatabase>[0]['schema'],
  dbFilename: string,
): CommonPowerSyncDatabase {
  return new PowerSyncDatabase({
    schema,
    logger: { log: () => undefined }, // the missing server is intended
    database: { dbFilename, dbLocation, implementation: { type: 'node:sqlite' }, readWorkerCount: 1 },
  })
}
