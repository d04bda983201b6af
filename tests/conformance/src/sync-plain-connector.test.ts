import { randomUUID } from 'node:crypto'
import { column, Schema, Table } from '@powersync/common'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import { createNotes, openHoldfast, openPlainDevice, type Holdfast, type PlainDevice } from '@holdfast/test-support'

/*
 * An existing app works unchanged: its own SDK schema, and a connector that writes row by row with supabase-js. Write checkpoints keep its own writes
 * visible: between the upload and the checkpoint that contains it, nothing disappears or reverts.
 */

const schema = new Schema({
  notes: new Table({
    owner_id: column.text,
    shared: column.integer,
    title: column.text,
    body: column.text,
    marker: column.text,
    amount: column.integer,
  }),
})

let holdfast: Holdfast
let device: PlainDevice
let userId: string

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await createNotes(holdfast)
  device = await openPlainDevice(holdfast, { email: 'mina.kaya@northline.example', schema })
  await device.database.waitForFirstSync(AbortSignal.timeout(60_000))
  const { data } = await device.supabase.auth.getUser()
  userId = data.user?.id ?? ''
})

afterAll(async () => {
  await device?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

interface Note {
  readonly id: string
  readonly title: string | null
  readonly amount: number
}

/** Waits until everything is uploaded and the device equals Postgres. */
async function expectEquality(): Promise<void> {
  await vi.waitFor(
    async () => {
      expect(await device.database.get('select count(*) as waiting from ps_crud')).toEqual({ waiting: 0 })
      const here = await device.database.getAll<Note>('select id, title, amount from notes order by id')
      const there = await holdfast.admin.query<Note>(sql`select id, title, amount from public.notes order by id`)
      expect(here).toEqual(there)
    },
    { timeout: 60_000, interval: 50 },
  )
}

/** Polls the notes continuously. @returns a function that stops and lists what disappeared or reverted */
function watchForFlicker(): () => Promise<readonly string[]> {
  const highest = new Map<string, number>()
  const seen: string[] = []
  let looks = 0
  const stopped = new AbortController()
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      const notes = await device.database.getAll<Note>(`select id, amount from notes where owner_id = ?`, [userId])
      const here = new Map(notes.map(({ id, amount }) => [id, amount]))
      for (const [id, amount] of highest) {
        const now = here.get(id)
        if (now === undefined) seen.push(`${id} disappeared`)
        else if (now < amount) seen.push(`${id} went back from ${amount} to ${now}`)
      }
      for (const [id, amount] of here) highest.set(id, amount)
      looks++
    }
  })()
  return async () => {
    stopped.abort()
    await watching
    expect(looks).toBeGreaterThan(50)
    return seen
  }
}

describe('a connector that uploads with supabase-js', () => {
  test('inserts, updates and deletes', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    await device.database.writeTransaction(async (tx) => {
      for (const id of [a, b])
        await tx.execute('insert into notes (id, owner_id, shared, title, amount) values (?, ?, 1, ?, 1)', [
          id,
          userId,
          'new',
        ])
    })
    await expectEquality()
    await device.database.execute('update notes set title = ? where id = ?', ['changed', a])
    await device.database.execute('delete from notes where id = ?', [b])
    await expectEquality()
    const left = await holdfast.admin.query<Note>(
      sql`select id, title, amount from public.notes where id in (${a}, ${b})`,
    )
    expect(left).toEqual([{ id: a, title: 'changed', amount: 1 }])
    expect(device.uploadErrors).toEqual([])
  })

  test('never sees its own writes disappear or revert while others write', async () => {
    const stop = watchForFlicker()
    const done = new AbortController()
    const others = (async () => {
      for (let n = 0; !done.signal.aborted; n++) {
        await holdfast.admin.execute(sql`
          insert into public.notes (id, owner_id, title) values (md5(${`other ${n % 50}`})::uuid, gen_random_uuid(), ${String(n)})
          on conflict (id) do update set title = excluded.title`)
        await new Promise((resolve) => setTimeout(resolve, 10)) // writes by users, not a tight loop
      }
    })()
    const ids = Array.from({ length: 12 }, () => randomUUID())
    for (const id of ids) {
      await device.database.execute('insert into notes (id, owner_id, shared, title, amount) values (?, ?, 1, ?, 1)', [
        id,
        userId,
        'mine',
      ])
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    for (let turn = 0; turn < 5; turn++) {
      for (const id of ids) await device.database.execute('update notes set amount = amount + 1 where id = ?', [id])
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    done.abort()
    await others
    await expectEquality()
    expect(await stop()).toEqual([])
    expect(device.uploadErrors).toEqual([])
  })
})

/*
 * The connectors of PowerSync's Supabase demos upload row by row and discard a transaction if the database refuses it with class 22, class 23 or
 * 42501. That requires Postgres's own codes for refusals, and retryable errors for everything else.
 */
describe('a connector that discards refused changes', () => {
  let giving: PlainDevice

  beforeAll(async () => {
    giving = await openPlainDevice(holdfast, {
      email: 'dana.okafor@northline.example',
      schema,
      discardsRefused: true,
    })
    await giving.database.waitForFirstSync(AbortSignal.timeout(60_000))
  })

  afterAll(() => giving?.[Symbol.asyncDispose]())

  const me = async (): Promise<string> => (await giving.supabase.auth.getUser()).data.user?.id ?? ''

  async function expectSettled(): Promise<void> {
    await vi.waitFor(
      async () => {
        expect(await giving.database.get('select count(*) as waiting from ps_crud')).toEqual({ waiting: 0 })
        const columns = 'id, owner_id, title, amount'
        const here = await giving.database.getAll(`select ${columns} from notes order by id`)
        const { data } = await giving.supabase.from('notes').select(columns).order('id')
        expect(here).toEqual(data)
      },
      { timeout: 60_000, interval: 50 },
    )
  }

  test.each([
    ['a value of the wrong type (22P02)', `insert into notes (id, owner_id, amount) values (?1, ?2, 'many')`],
    ['an invalid id (22P02)', `insert into notes (id, owner_id, amount) values ('no ' || ?1, ?2, 1)`],
    ['a broken check (23514)', 'insert into notes (id, owner_id, amount) values (?1, ?2, -1)'],
    ['a missing value (23502)', 'update notes set shared = null where id = ?1 and owner_id = ?2'],
    [
      'a row of another user (42501)',
      `insert into notes (id, owner_id, amount) values (?1, uuid() || substr(?2, 37), 1)`,
    ],
  ])('continues after %s', async (title, statement) => {
    const [bad, good] = [randomUUID(), randomUUID()]
    const owner = await me()
    if (statement.startsWith('update')) {
      await giving.database.execute('insert into notes (id, owner_id, shared) values (?, ?, 1)', [bad, owner])
      await expectSettled()
    }
    const before = giving.discarded.length
    await giving.database.execute(statement, [bad, owner])
    await giving.database.execute('insert into notes (id, owner_id, shared, title, amount) values (?, ?, 1, ?, 1)', [
      good,
      owner,
      title,
    ])
    await expectSettled()
    expect(giving.discarded).toHaveLength(before + 1)
    expect(await giving.database.getOptional('select title from notes where id = ?', [good])).toEqual({ title })
  })

  test('loses nothing while the server is down', async () => {
    const before = giving.discarded.length
    const owner = await me()
    await holdfast.killPostgres9()
    const ids = Array.from({ length: 5 }, () => randomUUID())
    for (const id of ids)
      await giving.database.execute('insert into notes (id, owner_id, shared, amount) values (?, ?, 1, 1)', [id, owner])
    await expectSettled()
    expect(giving.discarded).toHaveLength(before)
    const there = await holdfast.admin.query(sql`select id from public.notes where id = any(${ids}::uuid[])`)
    expect(there).toHaveLength(5)
  })
})
