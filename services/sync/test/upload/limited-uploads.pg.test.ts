import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql, type Transaction } from '@holdfast/postgres'
import { UPLOAD_PATH, type UploadRequest } from '@holdfast/protocol'
import { ALICE, BOB, caller, CLIENT, openUploadWorld, type UploadWorld } from './upload-world.ts'

/*
 * One person's uploads never cost another: each may have so many under way, those that no client waits for any more are ended, and those that take too long are
 * rolled back, to be sent again. Uploads are held up here by a row that a person has locked.
 */

let world: UploadWorld
let port: number
let locked: string

beforeAll(async () => {
  world = await openUploadWorld({ perPersonMax: 3, uploadsMax: 5 })
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  port = (world.app.server.address() as AddressInfo).port
})

afterAll(async () => world?.[Symbol.asyncDispose]())

beforeEach(async () => {
  await world.empty()
  locked = await world.seedTask()
})

interface Sent {
  readonly client: ClientRequest
  readonly answer: Promise<{ status: number; retryAfter: string | undefined; body: unknown }>
}

function send(upload: UploadRequest, userId: string): Sent {
  const client = request({
    port,
    path: UPLOAD_PATH,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-caller': JSON.stringify(caller(userId)) },
  })
  client.end(JSON.stringify(upload))
  const answer = once(client, 'response').then(async ([response]) => {
    const message = response as IncomingMessage
    const text = (await message.toArray()).join('')
    return {
      status: message.statusCode ?? 0,
      retryAfter: message.headers['retry-after'],
      body: JSON.parse(text) as unknown,
    }
  })
  answer.catch(() => undefined) // some are hung up
  return { client, answer }
}

let position = 1_000

/** An upload that waits for the locked row. */
function blocked(): UploadRequest {
  const operation = { op_id: ++position, op: 'PATCH', type: 'tasks', id: locked, data: { points: 1 } } as const
  return { client_id: CLIENT, position, operations: [operation] }
}

function free(userId: string): UploadRequest {
  const data = { title: 'free', owner_id: userId }
  const operation = { op_id: ++position, op: 'PUT', type: 'tasks', id: randomUUID(), data } as const
  return { client_id: randomUUID(), position, operations: [operation] }
}

function whileLocked(body: (tx: Transaction) => Promise<void>): Promise<void> {
  return world.database.pool.transaction(async (tx) => {
    await tx.query(sql`select from public.tasks where id = ${locked} for update`)
    await body(tx)
  })
}

async function statesOfConnections(): Promise<readonly string[]> {
  const rows = await world.database.pool.query<{ state: string }>(
    sql`select state from pg_stat_activity where application_name = 'uploads' and datname = current_database()`,
  )
  return rows.map(({ state }) => state).filter((state) => state !== 'idle')
}

const POLL = { timeout: 60_000, interval: 20 }

describe('an upload too many', () => {
  test('of one person is to be sent again, while others go on', async () => {
    await whileLocked(async () => {
      const waiting = [send(blocked(), ALICE), send(blocked(), ALICE), send(blocked(), ALICE)]
      await expect.poll(() => world.underWay.size, POLL).toBe(3)
      expect(await send(blocked(), ALICE).answer).toMatchObject({
        status: 429,
        retryAfter: '3',
        body: { error: { code: 'HF_UPLOAD_TOO_MANY' } },
      })
      expect(await send(free(BOB), BOB).answer).toMatchObject({ status: 200, body: { status: 'applied' } })
      for (const { client } of waiting) client.destroy()
    })
    await expect.poll(() => world.underWay.size, POLL).toBe(0)
  })

  test('of all people together is to be sent again', async () => {
    await whileLocked(async () => {
      const waiting = [ALICE, ALICE, ALICE, BOB, BOB].map((userId) => send(blocked(), userId))
      await expect.poll(() => world.underWay.size, POLL).toBe(5)
      expect(await send(free(BOB), BOB).answer).toMatchObject({
        status: 503,
        retryAfter: '3',
        body: { error: { code: 'HF_UPLOAD_BUSY' } },
      })
      for (const { client } of waiting) client.destroy()
    })
    await expect.poll(() => world.underWay.size, POLL).toBe(0)
  })

  test('is no more so when others have ended: broken bodies and refused ones count as well', async () => {
    for (let attempt = 0; attempt < 8; attempt++) {
      expect((await world.post('{', caller(ALICE))).status).toBe(400)
      expect((await world.post({ client_id: CLIENT }, caller(ALICE))).status).toBe(400)
    }
    expect(await world.post(free(ALICE), caller(ALICE))).toMatchObject({ status: 200 })
    await expect.poll(() => world.underWay.size, POLL).toBe(0)
  })
})

describe('a client that hangs up', () => {
  test('while its statement runs frees the connection, and nothing is recorded', async () => {
    const upload = blocked()
    await whileLocked(async () => {
      const { client } = send(upload, ALICE)
      await expect.poll(statesOfConnections, POLL).toContain('active')
      client.destroy()
      // The row is still locked.
      await expect.poll(statesOfConnections, POLL).toEqual([])
    })
    expect((await world.tasks())[0]).toMatchObject({ points: null })
    expect(await world.upload(upload, caller(ALICE))).toMatchObject({
      repeated: false,
      verdicts: [{ status: 'applied' }],
    })
  })

  test('while it waits for a connection is not judged', async () => {
    await using busy = await openUploadWorld({
      perPersonMax: 20,
      context: { share: { for: ({ signal }) => ({ ...world.pool, transaction: () => waitFor(signal) }) } },
    })
    await busy.app.listen({ port: 0, host: '127.0.0.1' })
    const other = request({
      port: (busy.app.server.address() as AddressInfo).port,
      path: UPLOAD_PATH,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-caller': JSON.stringify(caller(ALICE)) },
    })
    other.on('error', () => undefined)
    other.end(JSON.stringify(free(ALICE)))
    await expect.poll(() => busy.underWay.size, POLL).toBe(1)
    other.destroy()
    await expect.poll(() => busy.underWay.size, POLL).toBe(0)
  })
})

/** As a share whose connections are all in use. */
function waitFor(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

describe('what takes too long is rolled back, to be sent again', () => {
  test('a statement', async () => {
    await using impatient = await openUploadWorld({ context: { statementTimeoutMs: 100 } })
    await impatient.database.pool.withClient((client) =>
      client.query(`
        create table public.slow (id int primary key);
        grant all on public.slow to authenticated;
        create function public.sleep() returns trigger language plpgsql as 'begin perform pg_sleep(60); return new; end';
        create trigger sleep before insert on public.slow for each row execute function public.sleep()`),
    )
    const slow = impatient.transaction({ op: 'PUT', type: 'slow', id: '1' }, { op: 'PUT', type: 'slow', id: '2' })
    expect(await impatient.post(slow)).toMatchObject({ status: 503, body: { error: { code: 'HF_UPLOAD_TIMEOUT' } } })
    await impatient.database.pool.withClient((client) => client.query('drop trigger sleep on public.slow'))
    expect(await impatient.upload(slow)).toMatchObject({ status: 'applied', repeated: false })
  })

  test('a transaction', async () => {
    let now = 0
    await using impatient = await openUploadWorld({
      context: { transactionTimeoutMs: 1_000, runOperationsMax: 0, now: () => (now += 50) },
    })
    const many = impatient.transaction(
      ...Array.from({ length: 30 }, () => ({ op: 'PUT' as const, id: randomUUID(), data: { title: 'x' } })),
    )
    expect(await impatient.post(many)).toMatchObject({ status: 503, body: { error: { code: 'HF_UPLOAD_TIMEOUT' } } })
    expect(await impatient.tasks()).toEqual([])
    const few = { ...many, operations: many.operations.slice(0, 5) }
    expect(await impatient.upload(few)).toMatchObject({ status: 'applied', repeated: false })
  })
})
