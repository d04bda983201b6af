import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNotes, openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/*
 * A Postgres transaction becomes visible on a device as a whole or not at all, even if its rows are visible by different policies, change owner, or
 * exceed one message. The device is read continuously; any state between two transactions would show.
 */

const NOTES_IN_BULK = 3_000

let holdfast: Holdfast
let mina: TestDevice
let dana: TestDevice

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await createNotes(holdfast)
  mina = await openDevice(holdfast, { email: 'mina.kaya@northline.example' })
  dana = await openDevice(holdfast, { email: 'dana.okafor@northline.example' })
})

afterAll(async () => {
  await mina?.[Symbol.asyncDispose]()
  await dana?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

/** Queries repeatedly until `body` has ended and all rows have arrived. @returns the distinct results, in order of first appearance */
async function answersDuring(device: TestDevice, sql: string, body: () => Promise<void>): Promise<readonly string[]> {
  const ended = new AbortController()
  const answers = new Set<string>()
  const reading = (async () => {
    while (!ended.signal.aborted) answers.add(JSON.stringify(await device.database.getAll(sql)))
  })()
  await body()
  await device.settle()
  answers.add(JSON.stringify(await device.database.getAll(sql)))
  ended.abort()
  await reading
  return [...answers]
}

async function inPostgres(text: string, values: readonly unknown[] = []): Promise<void> {
  await holdfast.admin.withClient((client) => client.query(text, [...values]))
}

describe('a transaction arrives atomically', () => {
  test('if its rows are visible by different policies and change owner', async () => {
    await inPostgres(
      `insert into public.notes (owner_id, shared, amount, marker)
       select case when n % 2 = 0 then $1::uuid else $2::uuid end, n % 3 = 0, 100, 'sum' from generate_series(1, 40) n`,
      [mina.local.userId, dana.local.userId],
    )
    await Promise.all([mina.settle(), dana.settle()])
    const before = await mina.database.get<{ total: number }>(
      `select sum(amount) as total from notes where marker = 'sum'`,
    )
    const answers = await answersDuring(
      mina,
      `select sum(amount) as total from notes where marker = 'sum'`,
      async () => {
        for (let n = 0; n < 150; n++) {
          // One visible note loses 1, another gains 1; one visible note goes to Dana, unshared, and a new note of Mina's replaces its amount.
          await holdfast.admin.transaction(async ({ client }) => {
            const visible = `select id from public.notes where marker = 'sum' and (shared or owner_id = $1) order by md5(id::text || $2)`
            await client.query(
              `with pair as (select id, row_number() over () as place from (${visible} limit 2) two)
             update public.notes note set amount = amount + case pair.place when 1 then -1 else 1 end from pair
              where pair.id = note.id and not exists (select 1 from public.notes x join pair p on p.id = x.id where p.place = 1 and x.amount = 0)`,
              [mina.local.userId, String(n)],
            )
            const { rows } = await client.query<{ id: string; amount: number }>(
              `${visible.replace('select id', 'select id, amount')} limit 1`,
              [mina.local.userId, `hide ${n}`],
            )
            await client.query(`update public.notes set owner_id = $2, shared = false where id = $1`, [
              rows[0]?.id,
              dana.local.userId,
            ])
            await client.query(
              `insert into public.notes (owner_id, shared, amount, marker) values ($1, $2, $3, 'sum')`,
              [mina.local.userId, n % 2 === 0, rows[0]?.amount],
            )
          })
        }
      },
    )
    expect(answers).toEqual([JSON.stringify([before])])
  })

  test('if it is too large for one message, also after time offline', async () => {
    await inPostgres(
      `insert into public.notes (owner_id, marker, title, body) select $1, 'bulk', '0', repeat('x', 600) from generate_series(1, ${NOTES_IN_BULK})`,
      [dana.local.userId],
    )
    await Promise.all([mina.settle(), dana.settle()])
    const turns = 5
    const query = `select count(*) as n, count(distinct title) as kinds from notes where marker = 'bulk'`
    await dana.goOffline()
    const update = async (): Promise<void> => {
      for (let n = 1; n <= turns; n++) {
        await inPostgres(`update public.notes set title = $1 where marker = 'bulk'`, [String(n)])
        if (n === 2) dana.goOnline()
      }
    }
    const updating = update()
    const [there, back] = await Promise.all([mina, dana].map((device) => answersDuring(device, query, () => updating)))
    const whole = JSON.stringify([{ n: NOTES_IN_BULK, kinds: 1 }])
    expect(there).toEqual([whole])
    expect(back).toEqual([whole])
  })
})
