import { randomUUID } from 'node:crypto'
import { column, Schema, Table, UpdateType, type CrudEntry, type CrudTransaction } from '@powersync/common'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Holdfast } from '@holdfast/test-support'
import {
  addNotes,
  ANN,
  notesTable,
  openApp,
  openNotesServer,
  run,
  soon,
  uploadOperations,
  type App,
  type UploadAnswer,
} from './sync-app.ts'

/*
 * Uploads with the unmodified SDK: its queue, what its entries contain by table option, and Holdfast's upload endpoint, called from the app's own
 * connector. (sync-plain-connector.test.ts uploads row by row with supabase-js.)
 */

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openNotesServer()
})

afterAll(async () => holdfast?.[Symbol.asyncDispose]())

beforeEach(() => run(holdfast, 'delete from public.notes'))

const INSERT = 'insert into notes (id, title, n) values (?, ?, ?)'

async function inPostgres(): Promise<readonly object[]> {
  return holdfast.admin.withClient(
    async (client) => (await client.query<object>('select title, n from public.notes order by title')).rows,
  )
}

/** Waits until the queue is empty and the device shows the server's rows. */
async function settled(app: App, titles: readonly string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      expect((await app.database.getUploadQueueStats()).count).toBe(0)
      expect(await app.titles()).toEqual(titles)
    },
    { timeout: 60_000, interval: 20 },
  )
}

describe('connector.uploadData', () => {
  test("with Holdfast's upload endpoint applies each transaction as one Postgres transaction", async () => {
    await using app = await openApp(holdfast)
    await app.connect()
    await app.database.writeTransaction(async (tx) => {
      await tx.execute(INSERT, [randomUUID(), 'a', 1])
      await tx.execute(INSERT, [randomUUID(), 'b', 2])
    })
    await app.database.execute(`update notes set n = 3 where title = 'b'`)
    await settled(app, ['a', 'b'])
    expect(await inPostgres()).toEqual([
      { title: 'a', n: 1 },
      { title: 'b', n: 3 },
    ])
  })

  test('is called again with the same transaction after it throws; the server applies it once', async () => {
    await using app = await openApp(holdfast)
    const answers: UploadAnswer[] = []
    await app.connect({
      async uploadData(database) {
        const transaction = await database.getNextCrudTransaction()
        if (!transaction) return
        answers.push(await uploadOperations(holdfast, database, await app.token(), transaction.crud))
        if (answers.length === 1) throw new Error('the answer was lost')
        await transaction.complete()
      },
    })
    await app.database.execute(INSERT, [randomUUID(), 'once', 1])
    await settled(app, ['once'])
    expect(answers).toMatchObject([
      { status: 'applied', repeated: false },
      { status: 'applied', repeated: true },
    ])
  })

  test("that completes a refused transaction restores the server's rows", async () => {
    await addNotes(holdfast, ANN, ['kept'])
    await using app = await openApp(holdfast)
    const answers: UploadAnswer[] = []
    await app.connect({
      async uploadData(database) {
        const transaction = await database.getNextCrudTransaction()
        if (!transaction) return
        answers.push(await uploadOperations(holdfast, database, await app.token(), transaction.crud))
        await transaction.complete()
      },
    })
    await app.database.waitForFirstSync(soon())
    await app.database.writeTransaction(async (tx) => {
      await tx.execute(`update notes set title = 'changed'`)
      await tx.execute(INSERT, [randomUUID(), 'no such number', -1])
    })
    await settled(app, ['kept'])
    expect(answers).toMatchObject([
      { status: 'refused', verdicts: [{ status: 'not_reached' }, { status: 'error', sqlstate: '23514' }] },
    ])
  })
})

describe('database.getNextCrudTransaction', () => {
  test('returns the oldest transaction until it is completed, then the next', async () => {
    await using app = await openApp(holdfast)
    const id = randomUUID()
    await app.database.writeTransaction(async (tx) => {
      await tx.execute(INSERT, [id, 'a', 1])
      await tx.execute('update notes set n = 2 where id = ?', [id])
    })
    await app.database.execute('delete from notes where id = ?', [id])
    const first = await app.database.getNextCrudTransaction()
    expect(first?.crud.map(({ op }) => op)).toEqual([UpdateType.PUT, UpdateType.PATCH])
    const again = await app.database.getNextCrudTransaction()
    expect(again?.transactionId).toBe(first?.transactionId)
    await again?.complete()
    const next = await app.database.getNextCrudTransaction()
    expect(next?.crud.map(({ op }) => op)).toEqual([UpdateType.DELETE])
    await next?.complete()
    expect(await app.database.getNextCrudTransaction()).toBeNull()
  })
})

describe('database.getCrudTransactions', () => {
  test('returns several transactions to upload and complete as one batch', async () => {
    await using app = await openApp(holdfast)
    for (const title of ['a', 'b', 'c']) await app.database.execute(INSERT, [randomUUID(), title, 1])
    const results: unknown[] = []
    await app.connect({
      async uploadData(database) {
        const transactions: CrudTransaction[] = []
        for await (const transaction of database.getCrudTransactions()) transactions.push(transaction)
        if (transactions.length === 0) return
        const response = await fetch(`${holdfast.url}/sync/v1/upload`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${await app.token()}` },
          body: JSON.stringify({
            client_id: await database.getClientId(),
            transactions: transactions.map(({ crud }) => ({
              position: crud.at(-1)?.clientId,
              operations: crud.map((entry) => ({
                op_id: entry.clientId, op: entry.op, type: entry.table, id: entry.id, data: entry.opData,
              })), // prettier-ignore
            })),
          }),
        })
        results.push(...((await response.json()) as { results: unknown[] }).results)
        await transactions.at(-1)?.complete()
      },
    })
    await settled(app, ['a', 'b', 'c'])
    expect(results).toMatchObject([{ status: 'applied' }, { status: 'applied' }, { status: 'applied' }])
  })
})

describe('database.getCrudBatch', () => {
  test('returns entries across transactions, and whether more remain', async () => {
    await using app = await openApp(holdfast)
    for (const title of ['a', 'b', 'c']) await app.database.execute(INSERT, [randomUUID(), title, 1])
    const sizes: (readonly [size: number, haveMore: boolean])[] = []
    await app.connect({
      async uploadData(database) {
        const batch = await database.getCrudBatch(2)
        if (!batch) return
        sizes.push([batch.crud.length, batch.haveMore])
        await uploadOperations(holdfast, database, await app.token(), batch.crud)
        await batch.complete()
      },
    })
    await settled(app, ['a', 'b', 'c'])
    expect(sizes).toEqual([
      [2, true],
      [1, false],
    ])
  })

  test("can be completed with the app's own write checkpoint", async () => {
    await using app = await openApp(holdfast)
    await app.connect({
      async uploadData(database) {
        const batch = await database.getCrudBatch()
        if (!batch) return
        await uploadOperations(holdfast, database, await app.token(), batch.crud)
        const response = await fetch(
          `${holdfast.url}/write-checkpoint2.json?client_id=${await database.getClientId()}`,
          { headers: { authorization: `Token ${await app.token()}` } },
        )
        const { data } = (await response.json()) as { data: { write_checkpoint: string } }
        await batch.complete(data.write_checkpoint)
      },
    })
    await app.database.execute(INSERT, [randomUUID(), 'acknowledged', 1])
    await vi.waitFor(
      async () =>
        expect(await app.database.getAll('select owner_id is not null as is_back from notes')).toEqual([
          { is_back: 1 },
        ]),
      { timeout: 60_000 },
    )
  })
})

describe('database.getUploadQueueStats', () => {
  test('returns number and size of pending writes', async () => {
    await using app = await openApp(holdfast)
    expect(await app.database.getUploadQueueStats(true)).toMatchObject({ count: 0, size: 0 })
    for (const title of ['a', 'b']) await app.database.execute(INSERT, [randomUUID(), title, 1])
    const { count, size } = await app.database.getUploadQueueStats(true)
    expect(count).toBe(2)
    expect(size).toBeGreaterThan(0)
    await app.connect()
    await settled(app, ['a', 'b'])
  })
})

describe('database.getClientId', () => {
  test('returns the client ID of recorded uploads, which survives clearing', async () => {
    await using app = await openApp(holdfast)
    await app.database.waitForReady()
    const clientId = await app.database.getClientId()
    await app.connect()
    await app.database.execute(INSERT, [randomUUID(), 'a', 1])
    await settled(app, ['a'])
    const uploads = await holdfast.admin.withClient(
      async (client) => (await client.query('select status from sync.uploads where client_id = $1', [clientId])).rows,
    )
    expect(uploads).toEqual([{ status: 'applied' }])
    await app.database.disconnectAndClear()
    expect(await app.database.getClientId()).toBe(clientId)
  })
})

/** Writes with this schema, uploads the entries, and returns them with the responses. */
async function uploaded(
  schema: Schema,
  write: (app: App) => Promise<void>,
): Promise<{ readonly entries: readonly CrudEntry[]; readonly answers: readonly UploadAnswer[] }> {
  await using app = await openApp(holdfast, { schema })
  const entries: CrudEntry[] = []
  const answers: UploadAnswer[] = []
  await app.connect({
    async uploadData(database) {
      const transaction = await database.getNextCrudTransaction()
      if (!transaction) return
      entries.push(...transaction.crud)
      answers.push(await uploadOperations(holdfast, database, await app.token(), transaction.crud))
      await transaction.complete()
    },
  })
  await app.database.waitForFirstSync(soon())
  await write(app)
  await vi.waitFor(async () => expect((await app.database.getUploadQueueStats()).count).toBe(0), { timeout: 60_000 })
  return { entries, answers }
}

describe('table.trackPrevious', () => {
  test('makes a change conditional on the previous values', async () => {
    await addNotes(holdfast, ANN, ['seen'])
    const schema = new Schema({ notes: new Table(notesTable, { trackPrevious: { columns: ['title'] } }) })
    await using app = await openApp(holdfast, { schema })
    await app.connect()
    await app.shows(['seen'])
    await app.database.disconnect()
    await app.database.execute(`update notes set title = 'mine'`)
    const crud = (await app.database.getNextCrudTransaction())?.crud ?? []
    expect(crud.map(({ previousValues }) => previousValues)).toEqual([{ title: 'seen' }])
    await run(holdfast, `update public.notes set title = 'theirs'`)
    expect(await uploadOperations(holdfast, app.database, await app.token(), crud)).toMatchObject({
      status: 'refused',
      verdicts: [{ status: 'conflict', row: { title: 'theirs' } }],
    })
    await app.connect()
    await settled(app, ['theirs'])
  })
})

describe('table.trackMetadata', () => {
  test('uploads metadata with the change', async () => {
    const schema = new Schema({ notes: new Table(notesTable, { trackMetadata: true }) })
    const { entries, answers } = await uploaded(schema, ({ database }) =>
      database
        .execute(`insert into notes (id, title, _metadata) values (uuid(), 'a', 'from the importer')`)
        .then(() => undefined),
    )
    expect(entries[0]?.metadata).toBe('from the importer')
    expect(answers).toMatchObject([{ status: 'applied' }])
    expect(await inPostgres()).toEqual([{ title: 'a', n: null }])
  })
})

describe('table.insertOnly', () => {
  test('uploads rows without storing them locally', async () => {
    const schema = new Schema({ notes: new Table(notesTable, { insertOnly: true }) })
    await uploaded(schema, async ({ database, titles }) => {
      await database.execute(`insert into notes (id, title) values (uuid(), 'a')`)
      expect(await titles()).toEqual([])
    })
    expect(await inPostgres()).toEqual([{ title: 'a', n: null }])
  })
})

describe('table.localOnly', () => {
  test('never uploads', async () => {
    const schema = new Schema({
      notes: new Table(notesTable),
      drafts: new Table({ text: column.text }, { localOnly: true }),
    })
    const { entries } = await uploaded(schema, async ({ database }) => {
      await database.execute(`insert into drafts (id, text) values ('1', 'unfinished')`)
      await database.execute(`insert into notes (id, title) values (uuid(), 'a')`)
    })
    expect(entries.map(({ table }) => table)).toEqual(['notes'])
  })
})

describe('table.ignoreEmptyUpdates', () => {
  test('queues no update without changes', async () => {
    await addNotes(holdfast, ANN, ['same'])
    const schema = new Schema({ notes: new Table(notesTable, { ignoreEmptyUpdates: true }) })
    const { entries } = await uploaded(schema, async ({ database }) => {
      await database.execute(`update notes set title = 'same'`)
      await database.execute(`update notes set title = 'other'`)
    })
    expect(entries.map(({ opData }) => opData)).toEqual([{ title: 'other' }])
  })
})

describe('table.viewName', () => {
  test("is only the local name: rows sync under the server's name", async () => {
    await addNotes(holdfast, ANN, ['a'])
    const schema = new Schema({ notes: new Table(notesTable, { viewName: 'my_notes' }) })
    const { entries } = await uploaded(schema, async ({ database }) => {
      expect(await database.getAll('select title from my_notes')).toEqual([{ title: 'a' }])
      await database.execute(`update my_notes set title = 'b'`)
    })
    expect(entries.map(({ table }) => table)).toEqual(['notes'])
    expect(await inPostgres()).toEqual([{ title: 'b', n: null }])
  })
})

/** Declares a raw table, with the app's own statements or with those of the SDK. */
function rawSchema(statements: boolean): Schema {
  const schema = new Schema({ drafts: new Table({ text: column.text }, { localOnly: true }) })
  schema.withRawTables({
    notes: statements
      ? {
          put: {
            sql: 'insert into raw_notes (id, title, n, rest) values (?, ?, ?, ?) on conflict (id) do update set title = excluded.title, n = excluded.n, rest = excluded.rest',
            params: ['Id', { Column: 'title' }, { Column: 'n' }, 'Rest'],
          },
          delete: { sql: 'delete from raw_notes where id = ?', params: ['Id'] },
          clear: 'delete from raw_notes',
        }
      : { schema: { tableName: 'raw_notes', syncedColumns: ['title', 'n'] }, clear: 'delete from raw_notes' },
  })
  return schema
}

describe('rawTables.put', () => {
  test.each([
    ["the app's statements", true],
    ["the SDK's statements", false],
  ])('inserts, updates, deletes and clears rows with %s', async (_title, statements) => {
    await addNotes(holdfast, ANN, ['a', 'b'])
    await using app = await openApp(holdfast, { schema: rawSchema(statements) })
    await app.database.execute(
      'create table raw_notes (id text primary key, title text not null, n integer, rest text)',
    )
    const rows = (): Promise<object[]> => app.database.getAll('select title, n from raw_notes order by title')
    await app.connect()
    await app.database.waitForFirstSync(soon())
    expect(await rows()).toEqual([
      { title: 'a', n: null },
      { title: 'b', n: null },
    ])
    await run(holdfast, `update public.notes set n = 7 where title = 'a'; delete from public.notes where title = 'b'`)
    await vi.waitFor(async () => expect(await rows()).toEqual([{ title: 'a', n: 7 }]), { timeout: 60_000 })
    if (statements) {
      const { rest } = await app.database.get<{ rest: string }>('select rest from raw_notes')
      expect(Object.keys(JSON.parse(rest) as object).toSorted()).toEqual(['done', 'owner_id'])
    }
    await app.database.disconnectAndClear()
    expect(await rows()).toEqual([])
  })
})

describe('rawTables.schema', () => {
  test("uploads writes through the SDK's triggers", async () => {
    const schema = rawSchema(false)
    await using app = await openApp(holdfast, { schema })
    await app.database.execute(
      'create table raw_notes (id text primary key, title text not null, n integer, rest text)',
    )
    const [table] = schema.rawTables
    if (!table) throw new Error('there is a raw table')
    for (const kind of ['INSERT', 'UPDATE', 'DELETE'])
      await app.database.execute('select powersync_create_raw_table_crud_trigger(?, ?, ?)', [
        JSON.stringify(Schema.rawTableToJson(table)),
        `raw_notes_${kind}`,
        kind,
      ])
    await app.connect()
    await app.database.waitForFirstSync(soon())
    await app.database.execute(`insert into raw_notes (id, title) values (uuid(), 'a'), (uuid(), 'b')`)
    await app.database.execute(`update raw_notes set n = 5 where title = 'a'`)
    await app.database.execute(`delete from raw_notes where title = 'b'`)
    await vi.waitFor(async () => expect(await inPostgres()).toEqual([{ title: 'a', n: 5 }]), { timeout: 60_000 })
    await vi.waitFor(
      async () => expect(await app.database.getAll('select title, n from raw_notes')).toEqual([{ title: 'a', n: 5 }]),
      { timeout: 60_000 },
    )
  })
})
