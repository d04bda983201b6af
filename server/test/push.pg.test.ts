import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// Which devices take notifications, and what waits for them. That it is sent: tests/conformance/src/push.test.ts.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const ANN = 'aaaaaaaa-0000-4000-8000-000000000001'
const BEN = 'aaaaaaaa-0000-4000-8000-000000000002'
const KEY = 'B'.repeat(87)
const SECRET = 's'.repeat(22)

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  await database.pool.execute(sql`insert into auth.users (id) values (${ANN}), (${BEN})`)
})
beforeEach(() => database.pool.execute(sql`truncate holdfast.push_devices, holdfast.push_events`))
afterAll(() => database[Symbol.asyncDispose]())

const session = (sub: string): Session => ({
  role: 'authenticated',
  claims: { role: 'authenticated', sub, session_id: sub },
})
const asked = <Row extends object>(sub: string, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  runAs(database.requestPool, session(sub), (tx) => tx.query<Row>(query))
const add = (sub: string, endpoint: string): Promise<unknown> =>
  asked(sub, sql`select holdfast.add_push_device(${endpoint}, ${KEY}, ${SECRET})`)
const devices = (): Promise<readonly { readonly user_id: string; readonly endpoint: string }[]> =>
  database.pool.query(sql`select user_id, endpoint from holdfast.push_devices order by endpoint`)
const queued = (): Promise<readonly { readonly user_id: string; readonly kind: string }[]> =>
  database.pool.query(sql`select user_id, kind from holdfast.push_events order by id`)

test('nobody reads or writes the tables themselves', async () => {
  await add(ANN, 'https://push.example/1')
  for (const table of ['push_devices', 'push_events']) {
    await expect(asked(ANN, sql`select from holdfast.${sql.identifier(table)}`)).rejects.toThrow('permission denied')
    await expect(asked(ANN, sql`delete from holdfast.${sql.identifier(table)}`)).rejects.toThrow('permission denied')
  }
  await expect(asked(ANN, sql`select holdfast.queue_push(${BEN}, 'mention', '1')`)).rejects.toThrow('permission denied')
})

test('an address belongs to whoever named it last, and only they take it away', async () => {
  await add(ANN, 'https://push.example/1')
  await add(BEN, 'https://push.example/1')
  expect(await devices()).toEqual([{ user_id: BEN, endpoint: 'https://push.example/1' }])
  await asked(ANN, sql`select holdfast.remove_push_device('https://push.example/1')`)
  expect(await devices()).toHaveLength(1)
  await asked(BEN, sql`select holdfast.remove_push_device('https://push.example/1')`)
  expect(await devices()).toEqual([])
})

test('a person has 20 devices at most, and one is an address with keys', async () => {
  for (let n = 0; n < 22; n++) await add(ANN, `https://push.example/${n}`)
  expect(await devices()).toHaveLength(20)
  await expect(add(ANN, 'file:///etc/passwd')).rejects.toThrow('push_devices')
  await expect(asked(ANN, sql`select holdfast.add_push_device('https://push.example/x', 'x', 'y')`)).rejects.toThrow(
    'push_devices',
  )
})

test('a comment waits for whom it mentions and answers, once for each, if they have a device; not for who wrote it', async () => {
  const comment = (
    author: string,
    mentions: unknown,
    parent: string | null = null,
  ): Promise<readonly { id: string }[]> =>
    database.pool.query<{ id: string }>(sql`
      insert into holdfast.comments (table_name, record_id, body, author_id, mentions, parent_id)
      values ('things', ${ANN}, 'x', ${author}, ${JSON.stringify(mentions)}::jsonb, ${parent}) returning id`)
  await comment(ANN, [BEN])
  expect(await queued()).toEqual([])
  await add(BEN, 'https://push.example/ben')
  await add(ANN, 'https://push.example/ann')
  const [first] = await comment(ANN, [BEN, BEN, ANN, 'no id', 7, null])
  await comment(BEN, [ANN], first?.id ?? null)
  await comment(BEN, [], first?.id ?? null)
  expect(await queued()).toEqual([
    { user_id: BEN, kind: 'mention' },
    { user_id: ANN, kind: 'mention' },
    { user_id: ANN, kind: 'reply' },
  ])
})

test('at most 50 wait for one person', async () => {
  await add(BEN, 'https://push.example/ben')
  await database.pool.execute(sql`
    insert into holdfast.comments (table_name, record_id, body, author_id, mentions)
    select 'things', ${ANN}, 'x', ${ANN}, ${JSON.stringify([BEN])}::jsonb from generate_series(1, 60)`)
  expect(await queued()).toHaveLength(50)
})
