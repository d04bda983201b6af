import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { realtimeMigrations } from '../../src/index.ts'
import { openRealtimeWorld } from '../realtime-world.ts'

const CLIENTS = 20
const CHANNELS = 50

/** Opens a database that counts the server's transactions, in which it reads the catalog. */
async function openCounted(): Promise<{ readonly database: TestDatabase; readonly count: () => number }> {
  const database = await openTestDatabase({ migrations: [realtimeMigrations] })
  let count = 0
  const pool: TestDatabase['pool'] = {
    ...database.pool,
    transaction: (body) => {
      count++
      return database.pool.transaction(body)
    },
  }
  return { database: { ...database, pool }, count: () => count }
}

test('a thousand joins at once read the catalog once, and each is told that changes come', async () => {
  const { database, count } = await openCounted()
  onTestFinished(() => database[Symbol.asyncDispose]())
  await database.pool.withClient((client) =>
    client.query(`
      create table public.notes (id int primary key, room int);
      grant select on public.notes to anon;
      alter publication supabase_realtime add table public.notes;`),
  )
  const world = await openRealtimeWorld({}, database)
  onTestFinished(() => world[Symbol.asyncDispose]())
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => world.connect()))
  const before = count()
  const wanted = { event: '*', schema: 'public', table: 'notes', filter: 'room=eq.1' }
  await Promise.all(
    clients.map(async (client) => {
      const names = Array.from({ length: CHANNELS }, (_, number) => `realtime:${number}`)
      await Promise.all(names.map((name) => client.join(name, { config: { postgres_changes: [wanted] } })))
      for (const name of names)
        expect(
          await client.next((message) => !Buffer.isBuffer(message) && message[2] === name && message[3] === 'system'),
        ).toMatchObject({ 4: { status: 'ok', message: 'Subscribed to PostgreSQL' } })
    }),
  )
  // A slow machine may exceed the cache lifetime.
  expect(count() - before).toBeLessThan(10)
})

test('a table that has just been published is found, though it was not when others asked', async () => {
  const database = await openTestDatabase({ migrations: [realtimeMigrations] })
  onTestFinished(() => database[Symbol.asyncDispose]())
  await database.pool.withClient((client) =>
    client.query('create table public.notes (id int primary key); grant select on public.notes to anon'),
  )
  const world = await openRealtimeWorld({}, database)
  onTestFinished(() => world[Symbol.asyncDispose]())
  const client = await world.connect()
  const join = async (topic: string): Promise<unknown> => {
    await client.join(topic, { config: { postgres_changes: [{ event: '*', schema: 'public', table: 'notes' }] } })
    const told = await client.next(
      (message) => !Buffer.isBuffer(message) && message[2] === topic && message[3] === 'system',
    )
    return (told as readonly unknown[])[4]
  }
  expect(await join('realtime:early')).toMatchObject({ status: 'error' })
  await database.pool.withClient((client) => client.query('alter publication supabase_realtime add table public.notes'))
  expect(await join('realtime:late')).toMatchObject({ status: 'ok' })
})

test('while nothing reads the changes of tables, those who have subscribed are told, and the others stay', async () => {
  const database = await openTestDatabase({ migrations: [realtimeMigrations] })
  onTestFinished(() => database[Symbol.asyncDispose]())
  await database.pool.withClient((client) =>
    client.query(`create table public.notes (id int primary key); grant select on public.notes to anon;
      alter publication supabase_realtime add table public.notes`),
  )
  const world = await openRealtimeWorld({}, database)
  onTestFinished(() => world[Symbol.asyncDispose]())
  const client = await world.connect()
  await client.join('realtime:talk')
  const wanted = { config: { postgres_changes: [{ event: '*', schema: 'public', table: 'notes' }] } }
  await client.join('realtime:notes', wanted)
  const told = (status: string): Promise<unknown> =>
    client.next(
      (message) =>
        !Buffer.isBuffer(message) &&
        message[2] === 'realtime:notes' &&
        message[3] === 'system' &&
        (message[4] as { status: string }).status === status,
    )
  await told('ok')
  world.stopFollowing(true)
  expect(await told('error')).toMatchObject({ 4: { message: expect.stringContaining('cannot be followed') } })
  expect(await client.next((message) => !Buffer.isBuffer(message) && message[3] === 'phx_error')).toMatchObject({
    2: 'realtime:notes',
  })
  const waiting = { config: { ...wanted.config, postgres_changes_options: { wait: true } } }
  expect(await client.join('realtime:notes', waiting)).toMatchObject({ status: 'error' })
})
