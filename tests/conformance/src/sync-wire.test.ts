/**
 * Never more, on the wire too: every row version that a stream sends was selectable by its user at some commit. Sam is a contractor: the rows he
 * sees change with every action assigned to another company, and he may not see most of the database.
 *
 * One writer commits a random history; after each commit Sam's rows are recorded as Postgres shows them. Streams that stay open, that resume from
 * their positions, and that start from scratch are compared with the record. A failing run prints its seed: rerun it with `HOLDFAST_SEED=…`;
 * `HOLDFAST_STEPS` (default 20 transactions) makes it longer.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  askWriteCheckpoint,
  comparable,
  openDevice,
  openHoldfast,
  openRawStream,
  runsOf,
  type Holdfast,
  type RawStream,
  type TestDevice,
  type WireRow,
  seedOf,
} from '@holdfast/test-support'
import { commit, transactions, type Step } from './sync-history.ts'

const STEPS = Number(process.env['HOLDFAST_STEPS'] ?? 20)
/** Streams opened while write checkpoints are requested; the order is random. */
const OPENINGS = runsOf(60)

let holdfast: Holdfast
/** Provides Sam's schema, token and oracle. */
let sam: TestDevice

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  sam = await openDevice(holdfast, { email: 'sam.reyes@northline.example' })
})

afterAll(async () => {
  await sam?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

/** Renders a row version the same way for Postgres and the wire. */
function versionOf(table: string, row: Readonly<Record<string, unknown>>): string {
  return `${table} ${JSON.stringify(row)}`
}

function wireVersion({ table, id, data }: WireRow): string {
  const row = JSON.parse(data) as Record<string, unknown>
  expect(row['id'] ?? id).toBe(id)
  return versionOf(table, comparable({ ...row, id }, sam.table(table)))
}

async function versionsVisibleNow(): Promise<ReadonlySet<string>> {
  const versions = new Set<string>()
  for (const table of sam.tables())
    for (const row of (await sam.visibleRows(table)).values()) versions.add(versionOf(table, row))
  return versions
}

describe('a stream sends no row version that its user could not select', () => {
  test(
    'while rows, memberships and companies change randomly',
    async () => {
      const seed = seedOf('HOLDFAST_SEED')
      console.log(`seed ${seed}`)
      const token = await sam.token()
      const clientOf = (name: string): { url: string; token: string; clientId: string } => ({
        url: holdfast.url,
        token,
        clientId: `${name}-${seed}`,
      })
      const step = fc.tuple(transactions(1), fc.nat(9))
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (history) => {
          const ever = new Set(await versionsVisibleNow())
          let sent: readonly WireRow[] = []
          const open = await openRawStream(clientOf('open'))
          let returning: RawStream | undefined = await openRawStream(clientOf('returning'))
          await Promise.all([open.settle(), returning.settle()])
          let positions = returning.positions
          for (const [group, event] of history) {
            for (const steps of group as readonly (readonly Step[])[]) await commit(holdfast, [sam.local.userId], steps)
            for (const version of await versionsVisibleNow()) ever.add(version)
            if (event === 0 && returning) {
              await returning.settle()
              positions = returning.positions
              sent = sent.concat(returning.rows)
              await returning[Symbol.asyncDispose]()
              returning = undefined
            } else if (event <= 2 && !returning) {
              returning = await openRawStream({ ...clientOf('returning'), positions })
            }
          }
          returning ??= await openRawStream({ ...clientOf('returning'), positions })
          const fresh = await openRawStream(clientOf('fresh'))
          await Promise.all([open.settle(), returning.settle(), fresh.settle()])
          sent = sent.concat(open.rows, returning.rows)
          for (const stream of [open, returning, fresh]) await stream[Symbol.asyncDispose]()

          const now = await versionsVisibleNow()
          expect(sent.map(wireVersion).filter((version) => !ever.has(version))).toEqual([])
          expect(new Set(fresh.rows.map(wireVersion))).toEqual(now)
          console.log(`${sent.length + fresh.rows.length} row versions came, ${ever.size} were visible at some commit`)
          expect(sent.length).toBeGreaterThan(now.size)
        }),
        { seed, numRuns: 1, endOnFailure: true },
      )
    },
    300_000 + STEPS * 1_000,
  )

  test('if a row becomes invisible and the device reconnects later', async () => {
    await holdfast.admin.withClient(async (client) => {
      await client.query(`delete from holdfast.team_members where user_id = $1`, [sam.local.userId])
      await client.query(`delete from holdfast.shares where user_id = $1`, [sam.local.userId])
      await client.query(
        `update holdfast.members set role = 'guest', status = 'active', expires_at = null where user_id = $1`,
        [sam.local.userId],
      )
      await client.query(
        `insert into public.people (name, kind, contractor_id, user_id)
         select 'Sam', 'contractor', a.contractor_id, $1 from public.actions a where a.contractor_id is not null limit 1
         on conflict (user_id) do update set kind = 'contractor', contractor_id = excluded.contractor_id`,
        [sam.local.userId],
      )
    })
    const stream = await openRawStream({ url: holdfast.url, token: await sam.token(), clientId: 'revoked' })
    await stream.settle()
    const { positions } = stream
    await stream[Symbol.asyncDispose]()
    const secret = 'nobody of Calder Valve Services may read this'
    await holdfast.admin.withClient(async (client) => {
      // Sam's action is assigned to another company, edited there, and returned with no trace of the edit.
      const { rows } = await client.query<{ id: string; contractor_id: string }>(
        `select a.id, a.contractor_id from public.actions a join public.people p on p.contractor_id = a.contractor_id where p.user_id = $1 limit 1`,
        [sam.local.userId],
      )
      const [action] = rows
      await client.query(
        `update public.actions set contractor_id = (select id from public.contractors where id <> $2 limit 1) where id = $1`,
        [action?.id, action?.contractor_id],
      )
      await client.query(`update public.actions set detail = $2 where id = $1`, [action?.id, secret])
      await client.query(`update public.actions set detail = 'read me' where id = $1`, [action?.id])
      await client.query(`update public.actions set contractor_id = $2 where id = $1`, [
        action?.id,
        action?.contractor_id,
      ])
    })
    const back = await openRawStream({ url: holdfast.url, token: await sam.token(), clientId: 'revoked', positions })
    await back.settle()
    await back[Symbol.asyncDispose]()
    expect(back.rows.some(({ data }) => data.includes('read me'))).toBe(true)
    expect(back.rows.filter(({ data }) => data.includes(secret))).toEqual([])
  })
})

describe('a write checkpoint', () => {
  test('requested while the stream opens arrives on that stream', async () => {
    const token = await sam.token()
    for (let n = 0; n < OPENINGS; n++) {
      const client = { url: holdfast.url, token, clientId: `opening-${n}` }
      const asked: Promise<bigint>[] = []
      const opening = openRawStream(client)
      for (let m = 0; m < 4; m++) {
        asked.push(askWriteCheckpoint(client))
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      const stream = await opening
      const targets = await Promise.all(asked)
      const last = targets.reduce((highest, target) => (target > highest ? target : highest))
      await stream.reach(last, 5_000)
      await stream[Symbol.asyncDispose]()
    }
  })
})
