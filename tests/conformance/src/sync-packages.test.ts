import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AttachmentQueue,
  AttachmentTable,
  type CommonPowerSyncDatabase,
  Schema,
  SyncStreamConnectionMethod,
  Table,
} from '@powersync/common'
import { wrapPowerSyncWithDrizzle } from '@powersync/drizzle-driver'
import { wrapPowerSyncWithKysely } from '@powersync/kysely-driver'
import { NodeFileSystemAdapter } from '@powersync/node'
import { PowerSyncContext, useQuery as useReactQuery, useStatus } from '@powersync/react'
import * as reactNative from '@powersync/react-native'
import { useQuery as useTanStackQuery } from '@powersync/tanstack-react-query'
import { createPowerSyncPlugin, useQuery as useVueQuery, useStatus as useVueStatus } from '@powersync/vue'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { eq } from 'drizzle-orm'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Window } from 'happy-dom'
import { createElement, type ReactNode } from 'react'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createApp, effectScope } from 'vue'
import type { Holdfast } from '@holdfast/test-support'
import { addNotes, ANN, type App, notesTable, openApp, openNotesServer, run, soon } from './sync-app.ts'

/* The packages on top of the SDK, unmodified, against one server. */

/** The types of the package are made for Metro, which finds files without an extension. */
const { PowerSyncDatabase: ReactNativeDatabase } = reactNative as unknown as {
  readonly PowerSyncDatabase: new (options: object) => CommonPowerSyncDatabase
}

let holdfast: Holdfast

const PHOTOS = `
  insert into storage.buckets (id, name) values ('photos', 'photos');
  create policy photos on storage.objects to authenticated
    using (bucket_id = 'photos' and owner_id = auth.uid()::text) with check (bucket_id = 'photos');
`

beforeAll(async () => {
  holdfast = await openNotesServer(PHOTOS)
})

afterAll(async () => holdfast?.[Symbol.asyncDispose]())

beforeEach(async () => {
  await run(holdfast, 'delete from public.notes')
  await addNotes(holdfast, ANN, ['a', 'b'])
})

afterEach(() => vi.unstubAllGlobals())

async function onServer(sql: string): Promise<readonly Record<string, unknown>[]> {
  return holdfast.admin.withClient(async (client) => (await client.query<Record<string, unknown>>(sql)).rows)
}

async function serverHas(titles: readonly string[]): Promise<void> {
  await vi.waitFor(
    async () =>
      expect((await onServer('select title from public.notes order by title')).map(({ title }) => title)).toEqual(
        titles,
      ),
    { timeout: 60_000 },
  )
}

describe('`@powersync/react-native`', () => {
  const openNative = (): Promise<App> =>
    openApp(holdfast, {
      async through(device) {
        await device.waitForReady()
        const { schema, database: opened, logger } = device
        return new ReactNativeDatabase({ schema, opened, logger })
      },
    })

  test('connects over WebSocket by default, shows every change and uploads', async () => {
    await using app = await openNative()
    const answered = vi.spyOn(globalThis, 'WebSocket')
    await app.connect()
    await app.database.waitForFirstSync(soon())
    expect(await app.titles()).toEqual(['a', 'b'])
    expect(answered).toHaveBeenCalled()
    answered.mockRestore()
    await addNotes(holdfast, ANN, ['c'])
    await app.shows(['a', 'b', 'c'])
    await app.database.execute(`insert into notes (id, title) values (uuid(), 'mine')`)
    await serverHas(['a', 'b', 'c', 'mine'])
    const seen = `select user_agent from sync.devices where user_agent like '%powersync-react-native%'`
    const agent = expect.stringContaining('react-native/0.88 android/36') as unknown
    await vi.waitFor(async () => expect(await onServer(seen)).toEqual([{ user_agent: agent }]), { timeout: 60_000 })
  })

  test('reports a refused token, and connects with the next one', async () => {
    await using app = await openNative()
    const tokens = ['forged']
    await app.connect({
      fetchCredentials: async () => ({ endpoint: holdfast.url, token: tokens.shift() ?? (await app.token()) }),
    })
    await app.shows(['a', 'b'])
    expect(app.statuses.map((status) => status.downloadError?.message ?? '').join()).toContain('PSYNC_S2101')
  })

  test('without a streaming fetch, refuses HTTP itself', async () => {
    await using app = await openNative()
    await app.connect({ connectionMethod: SyncStreamConnectionMethod.HTTP })
    const { downloadError } = await new Promise<App['statuses'][number]>((resolve) => {
      app.database.registerListener({ statusChanged: (status) => void (status.downloadError && resolve(status)) })
    })
    expect(downloadError?.message).toContain('fetch() implementation capable of streaming')
  })
})

/** Renders a hook in a document, which the hooks of React need. */
async function renderHook<T>(
  hook: () => T,
  around: (children: ReactNode) => ReactNode,
): Promise<{ readonly current: T; readonly unmount: () => void }> {
  const window = new Window()
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', window.document)
  const { createRoot } = await import('react-dom/client')
  const root = createRoot(window.document.createElement('div') as unknown as Element)
  let current: T | undefined
  function Probe(): null {
    current = hook()
    return null
  }
  root.render(around(createElement(Probe)))
  await vi.waitFor(() => expect(current).toBeDefined())
  return {
    get current() {
      return current as T
    },
    unmount: () => root.unmount(),
  }
}

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 20 })

describe('`@powersync/react`', () => {
  test('`useQuery` and `useStatus` follow the rows of the server', async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    const hook = await renderHook(
      () => ({
        rows: useReactQuery<{ title: string }>('select title from notes order by title').data,
        status: useStatus(),
      }),
      (children) => createElement(PowerSyncContext.Provider, { value: app.database as never }, children),
    )
    await until(() => expect(hook.current.rows.map(({ title }) => title)).toEqual(['a', 'b']))
    expect(hook.current.status.connected).toBe(true)
    await addNotes(holdfast, ANN, ['c'])
    await until(() => expect(hook.current.rows.map(({ title }) => title)).toEqual(['a', 'b', 'c']))
    hook.unmount()
  })
})

describe('`@powersync/tanstack-react-query`', () => {
  test('`useQuery` follows the rows of the server', async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    const client = new QueryClient()
    const hook = await renderHook(
      () =>
        useTanStackQuery<{ title: string }>({ queryKey: ['notes'], query: 'select title from notes order by title' }),
      (children) =>
        createElement(
          QueryClientProvider,
          { client },
          createElement(PowerSyncContext.Provider, { value: app.database as never }, children),
        ),
    )
    await until(() => expect(hook.current.data?.map(({ title }) => title)).toEqual(['a', 'b']))
    await addNotes(holdfast, ANN, ['c'])
    await until(() => expect(hook.current.data?.map(({ title }) => title)).toEqual(['a', 'b', 'c']))
    hook.unmount()
    client.clear()
  })
})

describe('`@powersync/vue`', () => {
  test('`useQuery` and `useStatus` follow the rows of the server', async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    const vue = createApp({}).use(createPowerSyncPlugin({ database: app.database }))
    const scope = effectScope()
    const found = vue.runWithContext(() =>
      scope.run(() => ({
        query: useVueQuery<{ title: string }>('select title from notes order by title'),
        status: useVueStatus(),
      })),
    )
    await until(() => expect(found?.query.data.value.map(({ title }) => title)).toEqual(['a', 'b']))
    expect(found?.status.value.connected).toBe(true)
    await addNotes(holdfast, ANN, ['c'])
    await until(() => expect(found?.query.data.value.map(({ title }) => title)).toEqual(['a', 'b', 'c']))
    scope.stop()
  })
})

describe('`@powersync/drizzle-driver`', () => {
  const notes = sqliteTable('notes', { id: text('id'), title: text('title') })

  test('reads, writes and uploads', async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    const drizzle = wrapPowerSyncWithDrizzle(app.database as never, { schema: { notes } })
    expect(await drizzle.select({ title: notes.title }).from(notes).orderBy(notes.title)).toEqual([
      { title: 'a' },
      { title: 'b' },
    ])
    await drizzle.transaction(async (tx) => {
      await tx.insert(notes).values({ id: crypto.randomUUID(), title: 'c' })
      await tx.update(notes).set({ title: 'changed' }).where(eq(notes.title, 'a'))
    })
    await drizzle.delete(notes).where(eq(notes.title, 'b'))
    await serverHas(['c', 'changed'])
  })
})

describe('`@powersync/kysely-driver`', () => {
  test('reads, writes and uploads', async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    const kysely = wrapPowerSyncWithKysely<{ notes: { id: string; title: string } }>(app.database as never)
    expect(await kysely.selectFrom('notes').select('title').orderBy('title').execute()).toEqual([
      { title: 'a' },
      { title: 'b' },
    ])
    await kysely.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values({ id: crypto.randomUUID(), title: 'c' }).execute()
      await tx.updateTable('notes').set({ title: 'changed' }).where('title', '=', 'a').execute()
    })
    await kysely.deleteFrom('notes').where('title', '=', 'b').execute()
    await serverHas(['c', 'changed'])
  })
})

describe('`AttachmentQueue`', () => {
  const schema = (): Schema => new Schema({ notes: new Table(notesTable), attachments: new AttachmentTable() })

  /** The queue of a device: a note whose title is the id of an attachment has that file. */
  function openQueue(app: App, folder: string): AttachmentQueue {
    const bucket = app.supabase.storage.from('photos')
    return new AttachmentQueue({
      db: app.database,
      tableName: 'attachments',
      localStorage: new NodeFileSystemAdapter(folder),
      remoteStorage: {
        async uploadFile(data, { filename, mediaType }) {
          const { error } = await bucket.upload(filename, data, {
            contentType: mediaType ?? 'application/octet-stream',
          })
          if (error) throw error
        },
        async downloadFile({ filename }) {
          const { data, error } = await bucket.download(filename)
          if (error) throw error
          return data.arrayBuffer()
        },
        async deleteFile({ filename }) {
          const { error } = await bucket.remove([filename])
          if (error) throw error
        },
      },
      watchAttachments: (onUpdate, signal) =>
        app.database.watch(
          `select title as id from notes where length(title) = 36`,
          [],
          { onResult: (rows) => void onUpdate(attachmentsOf(rows.rows?._array ?? [])) },
          { signal },
        ),
      syncIntervalMs: 200,
    })
  }

  const attachmentsOf = (rows: readonly { id: string }[]): { id: string; fileExtension: string }[] =>
    rows.map(({ id }) => ({ id, fileExtension: 'txt' }))

  test('with our storage: a file saved on one device arrives on another', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-files-'))
    await using first = await openApp(holdfast, { schema: schema() })
    await using second = await openApp(holdfast, { schema: schema() })
    const [from, to] = [openQueue(first, join(folder, 'first')), openQueue(second, join(folder, 'second'))]
    await first.connect()
    await second.connect()
    await from.startSync()
    await to.startSync()
    const saved = await from.saveFile({
      data: new TextEncoder().encode('the photo').buffer,
      fileExtension: 'txt',
      mediaType: 'text/plain',
      updateHook: async (tx, { id }) =>
        void (await tx.execute(`insert into notes (id, title) values (uuid(), ?)`, [id])),
    })
    await vi.waitFor(
      async () => {
        const [row] = await second.database.getAll<{ local_uri: string | null }>(
          'select local_uri from attachments where id = ?',
          [saved.id],
        )
        expect(readFileSync(row?.local_uri ?? '', 'utf8')).toBe('the photo')
      },
      { timeout: 60_000 },
    )
    expect(await onServer(`select name from storage.objects where bucket_id = 'photos'`)).toEqual([
      { name: saved.filename },
    ])
    await from.stopSync()
    await to.stopSync()
    rmSync(folder, { recursive: true })
  })
})
