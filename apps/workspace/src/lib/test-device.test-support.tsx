import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type LocalDatabase, memoryStore } from '@holdfast/client'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { HoldfastProvider, WhenOpen } from '@holdfast/react'
import { PowerSyncDatabase } from '@powersync/node'
import { cleanup, render, renderHook, type RenderHookResult, type RenderResult, waitFor } from '@testing-library/react'
import type { JSX, ReactElement, ReactNode } from 'react'
import { TablesProvider } from './data/use-tables.tsx'

/** The device's user, with an expired session, so no server is contacted. */
export const TEST_USER = { id: '01931f60-0000-7000-8000-0000000000aa', email: 'ana@example.org' }

/** An offline device: the app's client with a real database and test tables. */
export interface TestDevice extends AsyncDisposable {
  readonly local: LocalDatabase
  /** Runs a local statement. @returns its rows */
  rows<Row>(sql: string, parameters?: readonly (string | number | null)[]): Promise<readonly Row[]>
  render(element: ReactElement): RenderResult
  renderHook<Result>(hook: () => Result): RenderHookResult<Result | undefined, unknown>
}

export async function openTestDevice(schema: SchemaDescriptor): Promise<TestDevice> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-app-'))
  const store = memoryStore()
  await store.setItem('holdfast-last-user', JSON.stringify(TEST_USER))
  await store.setItem(`holdfast-schema:${TEST_USER.id}`, JSON.stringify(schema))
  const client = createClient({
    url: 'http://127.0.0.1:1',
    anonKey: 'anon',
    store,
    fetch: () => Promise.reject(new TypeError('there is no network')),
    openDatabase: ({ schema: tables, fileName }) =>
      new PowerSyncDatabase({
        schema: tables,
        logger: { log: () => undefined }, // the missing server is intended
        database: {
          dbFilename: fileName,
          dbLocation: folder,
          implementation: { type: 'node:sqlite' },
          readWorkerCount: 1,
        },
      }),
  })
  const local = await waitFor(
    () => {
      const device = client.device.get()
      if (device.kind === 'open') return device.local
      throw new Error(`the database is not open: ${device.kind}`)
    },
    { timeout: 20_000 },
  )
  const wrapper = ({ children }: { readonly children: ReactNode }): JSX.Element => (
    <HoldfastProvider client={client}>
      <WhenOpen>
        <TablesProvider>{children}</TablesProvider>
      </WhenOpen>
    </HoldfastProvider>
  )
  return {
    local,
    rows: (sql, parameters = []) => local.database.getAll(sql, [...parameters]),
    render: (element) => render(element, { wrapper }),
    renderHook: (hook) => renderHook(hook, { wrapper }),
    async [Symbol.asyncDispose]() {
      cleanup()
      await client[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
