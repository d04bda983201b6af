import { afterAll, beforeAll, expect, test } from 'vitest'
import { quoteIdentifier, runAs, sql } from '@holdfast/postgres'
import { createRandom, runsOf, seedOf } from '@holdfast/test-support'
import { ALICE, openChangeWorld, PEOPLE, type ChangeWorld, type Told } from './change-world.ts'
import { makeTable, TYPES, type RandomTable } from './random-table.ts'

/*
 * Pins that for any table, whatever its columns, key, policies and rights, subscribers are told exactly what Postgres lets them select after the commit, value
 * for value.
 */

const TABLES = runsOf(3, { variable: 'HOLDFAST_CHANGES_TABLES', least: 2 })
const CHANGES = 12

let world: ChangeWorld

beforeAll(async () => {
  world = await openChangeWorld()
  await world.run(`${TYPES} insert into members values (1, '${ALICE}')`)
})

afterAll(() => world?.[Symbol.asyncDispose]())

/** Returns a row as a user may select it, with bytes in event form; `undefined` if not visible. */
async function seenBy(
  { role, claims }: (typeof PEOPLE)[number],
  name: string,
  { columns }: RandomTable,
  row: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const table = `public.${quoteIdentifier(name)}`
  const selectable = await world.db.pool.query<{ column: string; is_bytes: boolean }>(sql`
    select attname::text as column, atttypid = 'bytea'::regtype as is_bytes from pg_attribute
     where attrelid = ${table}::regclass and attname = any (${columns}::text[]) and has_column_privilege(${role}, attrelid, attnum, 'SELECT')`)
  const members = selectable.map(({ column, is_bytes: isBytes }) => {
    const cell = `t.${quoteIdentifier(column)}`
    return `'${column.replaceAll("'", "''")}', ${isBytes ? `substr(${cell}::text, 3)` : cell}`
  })
  try {
    return await runAs(world.db.requestPool, { role, claims }, async ({ client }) => {
      await client.query(`set local timezone = 'UTC'`)
      const { rows } = await client.query<{ row: string }>(
        `select jsonb_build_object(${members.join(', ')})::text as row from ${table} t where number = $1`,
        [row['number']],
      )
      return rows[0] && (JSON.parse(rows[0].row) as unknown)
    })
  } catch {
    return undefined // a failing policy shows nothing
  }
}

test.each(Array.from({ length: TABLES }, (_, index) => seedOf('HOLDFAST_CHANGES_SEED') + index))(
  'of a random table everybody is told the values that Postgres lets them see (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const name = `Table ${seed}`
    const table = makeTable(random, name)
    const told = PEOPLE.map((): Told[] => [])
    for (const statement of table.create) await world.run(statement)
    await world.followTable(
      name,
      PEOPLE.map((identity, index) => [identity, told[index] as Told[]] as const),
    )
    for (let number = 0; number < CHANGES; number++) {
      const text = table.change()
      for (const own of told) own.length = 0
      const { rowCount } = (await world.run(text)) as { rowCount: number }
      // The service key sees everything, and each change is sent to all at once.
      await expect.poll(() => told[0]?.length).toBe(rowCount)
      const [change] = told[0] ?? []
      if (change?.type === 'DELETE')
        for (const own of told)
          expect(Object.keys(own[0]?.old_record ?? {})).toEqual(expect.arrayContaining([...table.key]))
      else if (change?.record) {
        const expected = await Promise.all(PEOPLE.map((person) => seenBy(person, name, table, change.record ?? {})))
        const got = told.map((own) => own[0]?.record)
        expect({ create: table.create, text, got }).toEqual({ create: table.create, text, got: expected })
      }
    }
  },
)
