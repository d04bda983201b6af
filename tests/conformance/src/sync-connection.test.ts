import { column, FetchStrategy, Schema, Table } from '@powersync/common'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openFaultyLink, type Holdfast } from '@holdfast/test-support'
import {
  addNotes,
  ANN,
  type App,
  BEN,
  notesTable,
  openApp,
  openNotesServer,
  run,
  shortToken,
  soon,
} from './sync-app.ts'

/* Connecting and disconnecting with the unmodified SDK, and the options of `connect`. */

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openNotesServer()
})

afterAll(async () => holdfast?.[Symbol.asyncDispose]())

beforeEach(async () => {
  await run(holdfast, 'delete from public.notes')
  await addNotes(holdfast, ANN, ['a', 'b'])
  await addNotes(holdfast, BEN, ['of Ben'])
})

async function userId(account: { readonly email: string }): Promise<string> {
  const rows = await holdfast.admin.withClient(
    async (client) =>
      (await client.query<{ id: string }>('select id from auth.users where email = $1', [account.email])).rows,
  )
  return rows[0]?.id ?? ''
}

describe('database.connect', () => {
  test("syncs the user's rows and every change to them", async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    expect(await app.titles()).toEqual(['a', 'b'])
    await addNotes(holdfast, ANN, ['c'])
    await app.shows(['a', 'b', 'c'])
  })

  test('reports a broken connection as `downloadError`, and retries', async () => {
    await using link = await openFaultyLink(holdfast.url)
    await using app = await openApp(holdfast)
    link.sever()
    await app.connect({ fetchCredentials: async () => ({ endpoint: link.url, token: await app.token() }) })
    await app.database.waitForStatus(({ downloadError }) => downloadError, soon())
    expect(app.database.connected).toBe(false)
    link.mend()
    await app.shows(['a', 'b'])
    await vi.waitFor(() => expect(app.database.currentStatus.downloadError).toBeUndefined(), { timeout: 60_000 })
  })
})

describe('connector.fetchCredentials', () => {
  test('is called before the token expires, without interrupting the stream', async () => {
    await using app = await openApp(holdfast)
    const sub = await userId(ANN)
    let asked = 0
    await app.connect({
      fetchCredentials: async () => {
        asked++
        return {
          endpoint: holdfast.url,
          token: shortToken(holdfast, { sub, exp: Math.floor(Date.now() / 1000) + 3 }),
        }
      },
    })
    await app.database.waitForFirstSync(soon())
    await vi.waitFor(() => expect(asked).toBeGreaterThan(2), { timeout: 60_000 })
    await addNotes(holdfast, ANN, ['later'])
    await app.shows(['a', 'b', 'later'])
  })

  test("with another user's token shows that user's rows", async () => {
    await using app = await openApp(holdfast)
    const sub = await userId(BEN)
    const token = shortToken(holdfast, { sub, exp: Math.floor(Date.now() / 1000) + 600 })
    await app.connect({ fetchCredentials: async () => ({ endpoint: holdfast.url, token }) })
    await app.shows(['of Ben'])
  })

  describe('refused', () => {
    test('a token that is forged or has no subject, until a valid one follows', async () => {
      await using app = await openApp(holdfast)
      const exp = Math.floor(Date.now() / 1000) + 600
      const tokens = ['no token', shortToken(holdfast, { exp })]
      const seen: string[] = []
      app.database.registerListener({
        statusChanged: ({ downloadError }) => void (downloadError && seen.push(downloadError.message)),
      })
      await app.connect({
        fetchCredentials: async () => ({ endpoint: holdfast.url, token: tokens.shift() ?? (await app.token()) }),
      })
      await app.shows(['a', 'b'])
      expect(seen.join('\n')).toContain('PSYNC_S2101')
    })
  })
})

describe('database.disconnect', () => {
  test('keeps the rows; reconnecting resumes', async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    await app.database.disconnect()
    expect(app.database.connected).toBe(false)
    await addNotes(holdfast, ANN, ['meanwhile'])
    expect(await app.titles()).toEqual(['a', 'b'])
    const before = app.statuses.length
    await app.connect()
    await app.shows(['a', 'b', 'meanwhile'])
    const downloaded = app.statuses.slice(before).map((status) => status.downloadProgress?.totalOperations ?? 0)
    expect(Math.max(...downloaded)).toBeLessThanOrEqual(1)
  })
})

describe('database.disconnectAndClear', () => {
  test("removes all of the user's data; the next user gets only their own rows", async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    await app.database.disconnectAndClear()
    expect(await app.titles()).toEqual([])
    expect(await app.database.getAll('select * from ps_oplog')).toEqual([])
    expect(app.database.currentStatus.hasSynced).toBeFalsy()
    await app.supabase.auth.signInWithPassword(BEN)
    await app.connect()
    await app.shows(['of Ben'])
  })

  test('with `soft`, the same user returns without a download; another user sees none of it', async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    await app.database.disconnectAndClear({ soft: true })
    expect(await app.titles()).toEqual([])
    await app.supabase.auth.signInWithPassword(BEN)
    await app.connect()
    await app.shows(['of Ben'])
    await app.database.disconnectAndClear({ soft: true })
    await app.supabase.auth.signInWithPassword(ANN)
    await app.connect()
    await app.shows(['a', 'b'])
  })

  test('with `clearLocal: false`, keeps local-only tables', async () => {
    const schema = new Schema({
      notes: new Table(notesTable),
      drafts: new Table({ text: column.text }, { localOnly: true }),
    })
    await using app = await openApp(holdfast, { schema })
    await app.connect()
    await app.database.waitForFirstSync(soon())
    await app.database.execute(`insert into drafts (id, text) values ('1', 'unfinished')`)
    await app.database.disconnectAndClear({ clearLocal: false })
    expect(await app.titles()).toEqual([])
    expect(await app.database.getAll('select text from drafts')).toEqual([{ text: 'unfinished' }])
    await app.database.disconnectAndClear()
    expect(await app.database.getAll('select text from drafts')).toEqual([])
  })
})

describe('database.close', () => {
  test('closes the connection', async () => {
    const app = await openApp(holdfast)
    await app.connect()
    await app.database.waitForFirstSync(soon())
    await app[Symbol.asyncDispose]()
    expect(app.database.closed).toBe(true)
    expect(app.database.connected).toBe(false)
  })
})

describe('database.updateSchema', () => {
  test('shows new columns of existing rows, without a download', async () => {
    const before = new Schema({ notes: new Table({ title: column.text }) })
    await using app = await openApp(holdfast, { schema: before })
    await app.connect()
    await app.database.waitForFirstSync(soon())
    await app.database.disconnect()
    await app.database.updateSchema(new Schema({ notes: new Table(notesTable) }))
    expect(await app.database.getAll('select title, done from notes order by title')).toEqual([
      { title: 'a', done: 0 },
      { title: 'b', done: 0 },
    ])
  })

  test('shows rows of a new table, including those already downloaded', async () => {
    const before = new Schema({ drafts: new Table({ text: column.text }, { localOnly: true }) })
    await using app = await openApp(holdfast, { schema: before })
    await app.connect()
    await app.database.waitForFirstSync(soon())
    await app.database.disconnect()
    await app.database.updateSchema(new Schema({ notes: new Table(notesTable) }))
    expect(await app.titles()).toEqual(['a', 'b'])
  })

  test('turns local-only tables into synced ones, and uploads what was written before sign-in', async () => {
    const schema = (isSynced: boolean): Schema => {
      const table = (options: { viewName: string; localOnly?: boolean }): Table => new Table(notesTable, options)
      return new Schema({
        notes: table({ viewName: isSynced ? 'notes' : 'synced_notes' }),
        local_notes: table({ viewName: isSynced ? 'local_notes' : 'notes', localOnly: true }),
      })
    }
    await using app = await openApp(holdfast, { schema: schema(false) })
    await app.database.execute(`insert into notes (id, title) values (uuid(), 'before signing in')`)
    expect((await app.database.getUploadQueueStats()).count).toBe(0)
    await app.database.updateSchema(schema(true))
    await app.database.writeTransaction(async (tx) => {
      await tx.execute('insert into notes (id, title) select id, title from local_notes')
      await tx.execute('delete from local_notes')
    })
    await app.connect()
    await app.shows(['a', 'b', 'before signing in'])
    await vi.waitFor(async () => expect((await app.database.getUploadQueueStats()).count).toBe(0), { timeout: 60_000 })
    await app.shows(['a', 'b', 'before signing in'])
  })
})

describe('database.requestCheckpoint', () => {
  test('resolves when the device has what was committed before', async () => {
    await using app = await openApp(holdfast)
    await app.connect({ checkpointMode: 'requests' })
    await app.database.waitForFirstSync(soon())
    await addNotes(holdfast, ANN, ['committed before'])
    const checkpoint = await app.database.requestCheckpoint()
    await checkpoint.waitForSync({ signal: soon() })
    expect(await app.titles()).toEqual(['a', 'b', 'committed before'])
    expect(checkpoint.hasSynced).toBe(true)
  })
})

describe('options.checkpointMode', () => {
  /** Writes a note, and waits until the device has it as the server completed it. */
  async function writeAndGetBack({ database }: App, title: string): Promise<void> {
    await database.execute(`insert into notes (id, title) values (uuid(), ?)`, [title])
    await vi.waitFor(
      async () =>
        expect(
          await database.getAll(`select owner_id is not null as is_back from notes where title = ?`, [title]),
        ).toEqual([{ is_back: 1 }]),
      { timeout: 60_000 },
    )
  }

  test('`legacy`, the default, acknowledges writes by write checkpoints', async () => {
    await using app = await openApp(holdfast)
    await app.connect({ checkpointMode: 'legacy' })
    await app.database.waitForFirstSync(soon())
    await writeAndGetBack(app, 'mine')
  })

  test('`requests` acknowledges writes by numbers of the device, which may change the mode', async () => {
    await using app = await openApp(holdfast)
    for (const [round, checkpointMode] of (['requests', 'legacy', 'requests'] as const).entries()) {
      await app.connect({ checkpointMode })
      await app.database.waitForFirstSync(soon())
      await writeAndGetBack(app, `round ${round}`)
      expect(app.database.currentStatus.downloadError).toBeUndefined()
      await app.database.disconnect()
    }
  })
})

describe('options.appMetadata', () => {
  test('is accepted and ignored', async () => {
    await using app = await openApp(holdfast)
    await app.connect({ appMetadata: { version: '1.2.3' } })
    await app.shows(['a', 'b'])
  })
})

describe('options.params', () => {
  test('are accepted, but grant nothing: policies read only the token', async () => {
    await using app = await openApp(holdfast)
    await app.connect({ params: { sub: await userId(BEN), role: 'service_role', nested: { a: [1, null] } } })
    await app.shows(['a', 'b'])
  })
})

describe('options.fetchStrategy', () => {
  test.each([FetchStrategy.Buffered, FetchStrategy.Sequential])('%s syncs the rows', async (fetchStrategy) => {
    await using app = await openApp(holdfast)
    await app.connect({ fetchStrategy })
    await app.shows(['a', 'b'])
  })
})
