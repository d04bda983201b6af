import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAs, sql } from '@holdfast/postgres'
import { createRandom, runsOf, seedOf } from '@holdfast/test-support'
import { FILTERS, openChangeWorld, PEOPLE, type ChangeWorld, type Told } from './change-world.ts'
import { makeStep } from './random-transactions.ts'

/*
 * Pins that a subscriber is told of an INSERT or UPDATE exactly if Postgres lets them select the row after its commit, with the columns they may select, while
 * policies, rights and memberships change. A DELETE is sent to all who may select the key.
 */

const HISTORIES = runsOf(2, { variable: 'HOLDFAST_CHANGES_HISTORIES' })
const STEPS = 20

/** Enough other users that not all are evaluated for each change. They own no rows. */
const STRANGERS = 60

let world: ChangeWorld
const told: Told[][] = PEOPLE.map(() => [])
const toldStrangers: Told[][] = []

beforeAll(async () => {
  world = await openChangeWorld()
  PEOPLE.forEach((identity, index) => world.follow(identity, told[index] as Told[]))
  for (let number = 0; number < STRANGERS; number++) {
    const own: Told[] = []
    toldStrangers.push(own)
    world.follow({ role: 'authenticated', claims: { role: 'authenticated', sub: crypto.randomUUID() } }, own)
  }
})

afterAll(() => world?.[Symbol.asyncDispose]())

/** Returns what a user may select of a document now; `undefined` if not visible. */
async function seenBy(identity: (typeof PEOPLE)[number], id: number): Promise<unknown> {
  try {
    return await runAs(world.db.requestPool, identity, async (tx) => {
      const [row] = await tx.query(sql`select id from "Docs" where id = ${id}::int`)
      return row
    })
  } catch {
    return undefined // a failing policy shows nothing
  }
}

test.each(Array.from({ length: HISTORIES }, (_, index) => seedOf('HOLDFAST_CHANGES_SEED') + index))(
  'everybody is told of what Postgres lets them see (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const ids = new Set<number>()
    const policies: string[] = []
    let last = 0
    for (const { polname } of await world.db.pool.query<{ polname: string }>(
      sql`select polname::text from pg_policy where polrelid = '"Docs"'::regclass`,
    ))
      await world.run(`drop policy ${polname} on "Docs"`)
    await world.run(
      `truncate "Docs", members; alter table "Docs" enable row level security; grant select on "Docs" to anon`,
    )
    for (let step = 0; step < STEPS; step++) {
      const { statements, rows } = makeStep(random, ids, policies, () => ++last)
      const text = ['begin', ...statements, 'commit'].join('; ')
      for (const own of [...told, ...toldStrangers]) own.length = 0
      await world.run(text)
      // The service key sees everything, and each change is sent to all at once.
      await expect.poll(() => told[0]?.length).toBe(rows.length)
      for (const [index, identity] of PEOPLE.entries()) {
        const expected: unknown[] = []
        for (const { kind, id } of rows) {
          if (kind === 'DELETE') expected.push(['DELETE', { id }])
          else if (await seenBy(identity, id))
            expected.push([kind, await recordOf(identity.role, id), await filtersPassed(id)])
        }
        const got = told[index]?.map(forComparison)
        expect({ step, text, index, got }).toEqual({ step, text, index, got: expected })
      }
      // The last user owns no row either.
      const seen = told.at(-1)?.map(forComparison)
      for (const own of toldStrangers)
        expect({ step, text, got: own.map(forComparison) }).toEqual({ step, text, got: seen })
    }
  },
)

/** A DELETE filtered by non-key columns depends on the deleted row, so only its occurrence is compared. */
function forComparison({ type, record, old_record: old, ids }: Told): unknown {
  return type === 'DELETE' ? ['DELETE', { id: old?.['id'] }] : [type, record, ids]
}

/** Returns 0 and the numbers of the filters that match a document according to Postgres. */
async function filtersPassed(id: number): Promise<readonly number[]> {
  const tests = FILTERS.map(([, condition]) => `coalesce(${condition}, false)`)
  const [row] = (await world.db.pool.withClient(
    async (client) =>
      (await client.query(`select array[${tests.join(', ')}] as passed from "Docs" where id = ${id}`)).rows,
  )) as { passed: boolean[] }[]
  return [0, ...(row?.passed ?? []).flatMap((passes, index) => (passes ? [index + 1] : []))]
}

/** Returns the columns that a role may select, as printed by Postgres. */
async function recordOf(role: string, id: number): Promise<unknown> {
  const [row] = await world.db.pool.query<{ record: unknown }>(sql`
    select (select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(d))
             where has_column_privilege(${role}, '"Docs"', key, 'SELECT')) as record
      from "Docs" d where id = ${id}::int`)
  return row?.record
}
