/**
 * The promise of sync: a device holds exactly what Postgres lets its user select. Real devices (the unmodified SDK) of every kind of user are
 * compared with the tables under that user's row-level security: after the first sync, then after rounds of random transactions, membership
 * changes, local writes and time offline.
 *
 * A failing run prints its seed: rerun it with `HOLDFAST_SEED=…`. `HOLDFAST_ROUNDS` (default 1, at night 2) and `HOLDFAST_STEPS` (default 33
 * transactions per round) make it longer.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  differences,
  openDevice,
  openHoldfast,
  runsOf,
  seedOf,
  type Holdfast,
  type TestDevice,
} from '@holdfast/test-support'
import { commit, transactions, type Step } from './sync-history.ts'
import { localWrite, type LocalStep, localSteps } from './sync-local-writes.ts'

const ROUNDS = runsOf(2, { variable: 'HOLDFAST_ROUNDS' })
const STEPS = Number(process.env['HOLDFAST_STEPS'] ?? 33)

/** One user of each kind and team. The accounts of the operator and the stranger are created below. */
const PEOPLE = [
  'dana.okafor',
  'mina.kaya',
  'sam.reyes',
  'ruth.adler',
  'arjun.mehta',
  'tomas.lindgren',
  'jonas.weber',
  'siobhan.kelly',
  'ingrid.solberg',
  'samir.aziz',
  'nina.brightwell',
  'eva.novak', // an operator, see below
] as const

const STRANGER = { email: 'stranger@northline.example', password: 'nobody knows me' }

let holdfast: Holdfast
let devices: readonly TestDevice[]
let accounts: readonly string[]

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  const { error } = await (await holdfast.supabase()).auth.signUp(STRANGER)
  if (error) throw error
  await holdfast.admin.withClient((client) =>
    client.query(
      `update auth.users set raw_app_meta_data = raw_app_meta_data || '{"holdfast_operator": true}' where email like 'eva.novak@%'`,
    ),
  )
  const people = [STRANGER, ...PEOPLE.map((name) => ({ email: `${name}@northline.example` }))]
  devices = await Promise.all(people.map((account) => openDevice(holdfast, account)))
  accounts = devices.map((device) => device.local.userId)
})

afterAll(async () => {
  await Promise.all((devices ?? []).map((device) => device[Symbol.asyncDispose]()))
  await holdfast?.[Symbol.asyncDispose]()
})

/** Waits until all writes have arrived everywhere. Two rounds, because one device's uploads are downloads for the others. */
async function settleAll(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await Promise.all(devices.map((device) => device.settle()))
}

async function expectEquality(): Promise<void> {
  const told: string[] = []
  for (const device of devices) told.push(...(await differences(device)))
  expect(told).toEqual([])
}

describe('a device holds what Postgres lets its user select', () => {
  test('in every table with policies', async () => {
    const rows = await holdfast.admin.withClient((client) =>
      client.query<{ name: string }>(`
        select case when n.nspname = 'public' then c.relname else 'hf_' || c.relname end as name
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind = 'r' and exists (select from pg_policy p where p.polrelid = c.oid) and n.nspname in ('public', 'holdfast')
           and c.relname not in ('settings', 'history')`),
    )
    for (const device of devices)
      expect(device.tables().toSorted()).toEqual(rows.rows.map((row) => row.name).toSorted())
  })

  test('after the first sync', async () => {
    await settleAll()
    await expectEquality()
    const counts = await Promise.all(devices.map(async (device) => (await device.localRows('actions')).size))
    expect(new Set(counts).size).toBeGreaterThan(5) // the users see different rows
  })

  test(
    'after random transactions, membership changes, local writes and time offline',
    async () => {
      const device = fc.nat(devices.length - 1)
      const round = fc.record({
        transactions: transactions(STEPS),
        local: fc.array(fc.tuple(device, localSteps), { minLength: STEPS >> 1, maxLength: STEPS >> 1 }),
        offline: fc.uniqueArray(device, { maxLength: 4 }),
        reopened: fc.option(device),
      })
      const seed = seedOf('HOLDFAST_SEED')
      console.log(`seed ${seed}`)
      let accepted = 0
      let sent = 0
      let n = 0
      await fc.assert(
        fc.asyncProperty(round, async ({ transactions, local, offline, reopened }) => {
          const began = Date.now()
          for (const index of offline) await devices[index]?.goOffline()
          const here = local.map(async ([index, step]: [number, LocalStep]) => {
            const written = await localWrite(devices[index] as TestDevice, step)
            if (written) sent++
          })
          for (const steps of transactions as readonly (readonly Step[])[])
            accepted += await commit(holdfast, accounts, steps)
          await Promise.all(here)
          if (reopened !== null) await devices[reopened]?.reopen()
          for (const index of offline) devices[index]?.goOnline()
          const written = Date.now()
          await settleAll()
          const settled = Date.now()
          await expectEquality()
          console.log(
            `round ${++n}: written in ${written - began} ms, settled in ${settled - written} ms, compared in ${Date.now() - settled} ms`,
          )
        }),
        { seed, numRuns: ROUNDS, endOnFailure: true },
      )
      console.log(`${accepted} changes by the superuser, ${sent} local writes`)
      expect(accepted).toBeGreaterThan((ROUNDS * STEPS) / 2)
      expect(sent).toBeGreaterThan(0)
    },
    300_000 + ROUNDS * (20_000 + STEPS * 500),
  )
})
