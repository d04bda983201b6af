/** What the rules of a device say of the sample. Postgres is the oracle. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileWriteRules, readWriteInput } from '@holdfast/policy'
import { sql } from '@holdfast/postgres'
import { judgeWrite, type Judgement, type WriteRules } from '@holdfast/protocol'
import { openSampleWorld, type SampleWorld } from './sample-world.ts'

let sample: SampleWorld

beforeAll(async () => {
  sample = await openSampleWorld()
})

afterAll(() => sample[Symbol.asyncDispose]())

const STATES = ['actions', 'findings', 'inspections'] as const

const SYNCED = ['public', 'holdfast']

async function rulesUnder(schemas: readonly string[]): ReturnType<typeof compileWriteRules> {
  const input = await readWriteInput(sample.database.compilerPool, { schemas })
  const synced = input.policies.tables.filter(({ schema }) => SYNCED.includes(schema))
  return compileWriteRules(input, 'authenticated', new Set(synced.map(({ oid }) => oid)))
}

test('devices are told as much as if every schema of the sample was exposed', async () => {
  expect(await rulesUnder(SYNCED)).toEqual(await rulesUnder([...SYNCED, 'sample']))
})

async function rulesOf(name: string): Promise<WriteRules> {
  const input = await readWriteInput(sample.database.compilerPool)
  const { tables, facts } = await compileWriteRules(
    input,
    'authenticated',
    new Set(input.policies.tables.filter(({ schema }) => schema === 'public').map(({ oid }) => oid)),
  )
  const values: Record<string, WriteRules['facts'][string]> = {}
  for (const fact of facts) {
    const value = await sample.asPerson(name, (tx) =>
      tx.query<{ value: string }>(sql`select ${sql.trusted(fact.sql)} as value`),
    )
    values[fact.name] = { value: value[0]?.value ?? null, reads: [] }
  }
  return { version: '', tables, facts: values }
}

test.each(['Dana Okafor', 'Mina Kaya', 'Sam Reyes'])(
  'what the device refuses of the states of %s, Postgres refuses, transitions in the same words',
  async (name) => {
    const rules = await rulesOf(name)
    const found = { refused: 0, transition: 0, constraint: 0 }
    for (const table of STATES) {
      const rows = await sample.asPerson(name, (tx) =>
        tx.query<{ row: Record<string, unknown> }>(
          sql`select distinct on (t.state) to_jsonb(t) as row from ${sql.identifier('public', table)} t order by t.state, t.number`,
        ),
      )
      const states = await sample.database.pool.query<{ state: string }>(
        sql`select e.enumlabel as state from pg_enum e join pg_attribute a on a.atttypid = e.enumtypid
             where a.attrelid = ${`public.${table}`}::regclass and a.attname = 'state'`,
      )
      for (const { row } of rows) {
        for (const { state } of states) {
          const write = {
            table,
            command: 'update',
            before: row,
            after: { ...row, state },
            changed: ['state'],
          } as const
          const judgement = judgeWrite(write, { rules, rowOf: () => undefined, isCurrent: () => true })
          if (judgement.kind !== 'refused') continue
          found.refused++
          const verdict = await sample.attempt(
            name,
            sql`update ${sql.identifier('public', table)} set state = ${state} where id = ${row['id']}`,
          )
          const shown = JSON.stringify({ table, from: row['state'], state, judgement, verdict })
          expect(verdict.rows, shown).toBe(0)
          const { refusal } = judgement
          if (refusal.reason === 'transition') {
            found.transition++
            expect(verdict, shown).toMatchObject({ code: 'P0001', message: refusal.words })
          } else if (refusal.reason === 'check') {
            found.constraint++
            expect(verdict, shown).toMatchObject({
              code: '23514',
              message: expect.stringContaining(refusal.check.name ?? '?'),
            })
          }
        }
      }
    }
    expect(found.transition).toBeGreaterThan(8)
  },
)

test('the device knows what a new record and its fields need', async () => {
  const rules = await rulesOf('Dana Okafor')
  const [site] = await sample.database.pool.query<{ id: string }>(sql`
    select s.id from public.sites s join public.regions r on r.id = s.region_id
     where s.status = 'active' and r.code in (
       select t.area from holdfast.teams t join holdfast.team_members m on m.team_id = t.id join auth.users u on u.id = m.user_id
        where u.raw_user_meta_data ->> 'name' = 'Dana Okafor')`)
  const row = { id: '10000000-0000-4000-8000-000000000001', site_id: site?.id, title: 'Rust', state: 'open' }
  const judge = (after: Record<string, unknown>): Judgement =>
    judgeWrite(
      { table: 'findings', command: 'insert', after },
      { rules, rowOf: () => undefined, isCurrent: () => true },
    )
  expect(judge({ ...row, state: 'closed' })).toMatchObject({
    refusal: { reason: 'transition', words: 'State of a new record is Open.' },
  })
  expect(judge({ ...row, title: null })).toEqual({
    kind: 'refused',
    refusal: { reason: 'required', columns: ['title'] },
  })
  expect(judge({ ...row, title: '  ' })).toMatchObject({
    refusal: { reason: 'check', check: { words: 'A title has 1 to 200 characters.', columns: ['title'] } },
  })
  expect(judge({ ...row, lat: 90.5 })).toMatchObject({
    refusal: { reason: 'check', check: { words: 'A latitude lies between -90 and 90.' } },
  })
  expect(judge({ ...row, lat: -90 }).kind).not.toBe('refused')
  expect(judge(row).kind).not.toBe('refused')
})
