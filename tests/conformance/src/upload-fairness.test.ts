import { randomUUID } from 'node:crypto'
import { request, type ClientRequest } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { UPLOAD_PATH } from '@holdfast/protocol'
import { createNotes, openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/*
 * One user uploads as much as possible, and every upload waits for a locked row. All others continue: requests through supabase-js, other devices,
 * their streams and uploads. When the flood disconnects, its connections are released although the row is still locked.
 */

const MINA = 'mina.kaya@northline.example'
const SAM = 'sam.reyes@northline.example'
const FLOOD = 40

let holdfast: Holdfast
let device: TestDevice
/** The flooding user's device. */
let own: TestDevice
let floodToken: string

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await createNotes(holdfast)
  device = await openDevice(holdfast, { email: SAM })
  own = await openDevice(holdfast, { email: MINA })
  const { data } = await (await holdfast.supabase({ email: MINA })).auth.getSession()
  floodToken = data.session?.access_token ?? ''
})

afterAll(async () => {
  await device?.[Symbol.asyncDispose]()
  await own?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

/** Sends uploads continuously, each after the response to the one before. */
function startFlood(noteId: string): { readonly statuses: readonly number[]; hangUp(): void } {
  const clients = new Set<ClientRequest>()
  const statuses: number[] = []
  let isOver = false
  const operations = Array.from({ length: 1_000 }, (_, index) => ({
    op_id: index + 1,
    op: 'PATCH',
    type: 'notes',
    id: noteId,
    data: { title: `flood ${index}` },
  }))

  function send(): void {
    if (isOver) return
    const client = request(`${holdfast.url}${UPLOAD_PATH}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${floodToken}`, 'content-type': 'application/json' },
    })
    clients.add(client)
    client.on('error', () => undefined)
    client.on('response', (answer) => {
      statuses.push(answer.statusCode ?? 0)
      answer.resume()
      answer.on('close', () => {
        clients.delete(client)
        setTimeout(send, 100)
      })
    })
    client.end(JSON.stringify({ client_id: randomUUID(), position: 1, operations }))
  }

  for (let index = 0; index < FLOOD; index++) send()
  return {
    statuses,
    hangUp() {
      isOver = true
      for (const client of clients) client.destroy()
    },
  }
}

const busyUploads = async (): Promise<number> => {
  const [row] = await holdfast.admin.query<{ n: number }>(sql`
    select count(*)::int as n from pg_stat_activity where application_name = 'holdfast request' and wait_event_type = 'Lock'`)
  return row?.n ?? 0
}

test('a flood of uploads by one user blocks no other user, and ends when the client disconnects', async () => {
  const noteId = randomUUID()
  const mina = await holdfast.supabase({ email: MINA })
  const { error } = await mina.from('notes').insert({ id: noteId, title: 'contended', marker: 'contended' })
  expect(error).toBeNull()
  await holdfast.admin.transaction(async (tx) => {
    await tx.query(sql`select from public.notes where id = ${noteId} for update`)
    const flood = startFlood(noteId)
    await expect.poll(busyUploads, { timeout: 60_000 }).toBeGreaterThan(0)
    await expect.poll(() => flood.statuses, { timeout: 60_000 }).toContain(429)
    expect(await busyUploads()).toBeLessThanOrEqual(2)
    // The flooding user's own device is told to retry too, and keeps its changes.
    await own.database.execute(`insert into notes (id, title, marker) values (uuid(), 'kept', 'kept')`)

    const sam = await holdfast.supabase({ email: SAM })
    for (let round = 0; round < 5; round++) {
      const reads = await Promise.all(Array.from({ length: 10 }, () => sam.from('notes').select('id').limit(1)))
      expect(reads.map(({ error: failure }) => failure)).toEqual(reads.map(() => null))
      await device.database.execute(`insert into notes (id, title, marker) values (uuid(), ?, uuid())`, [
        `round ${round}`,
      ])
      await device.settle()
    }
    expect(await device.local.rejected.list()).toEqual([])
    expect(await own.local.rejected.list()).toEqual([])
    await expect.poll(busyUploads, { timeout: 60_000 }).toBeGreaterThan(0)

    flood.hangUp()
    await expect.poll(busyUploads, { timeout: 60_000 }).toBe(0)
  })
  await own.settle()
  expect(await own.local.rejected.list()).toEqual([])
  const { data } = await mina.from('notes').select('title').in('marker', ['contended', 'kept']).order('title')
  expect(data).toEqual([{ title: 'contended' }, { title: 'kept' }])
})
