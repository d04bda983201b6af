import { expect, test } from 'vitest'
import { ALICE, openWorld } from './sync-world.ts'

/*
 * Policies that compare a value with the text of a claim. Equal values can have several texts, and one value has other texts in the replication stream than in a
 * cast: a device has the rows that Postgres lets the person select, whether a row was there before or comes later.
 */

interface Form {
  readonly type: string
  /** The condition of the policy over `c`, with `$` for the claim. */
  readonly condition: string
  /** What the claim has. */
  readonly claim: string
  /** SQL literals. */
  readonly values: readonly string[]
}

const UPPER = 'ABCDEFAB-0000-4000-8000-000000000001'

/** A claim as a date is not among them: `today` is one, so that sync refuses the policy. */
const FORMS: readonly Form[] = [
  { type: 'boolean', condition: 'c::text = $', claim: 'true', values: ["'t'", "'f'"] },
  { type: 'boolean', condition: 'c::text = $', claim: 't', values: ["'t'", "'f'"] },
  { type: 'boolean', condition: 'c = ($)::boolean', claim: 'yes', values: ["'t'", "'f'"] },
  { type: 'text_flag', condition: 'c::text = $', claim: 'false', values: ["'t'", "'f'"] },
  { type: 'int4', condition: 'c::text = $', claim: '007', values: ['7', '-7'] },
  { type: 'int4', condition: 'c = ($)::int', claim: '007', values: ['7', '-7'] },
  { type: 'int2', condition: 'c::text = $', claim: '-7', values: ['7', '-7'] },
  {
    type: 'int8',
    condition: 'c = ($)::int8',
    claim: '+9007199254740993',
    values: ['9007199254740993', '9007199254740992'],
  },
  { type: 'numeric', condition: 'c::text = $', claim: '1.0', values: ['1.0', '1', '1.00'] },
  { type: 'numeric(8,2)', condition: 'c::text = $', claim: '1.00', values: ['1.0', '1', '2'] },
  { type: 'uuid', condition: 'c::text = $', claim: UPPER, values: [`'${UPPER}'`] },
  { type: 'uuid', condition: 'c::text = lower($)', claim: UPPER, values: [`'${UPPER}'`, `'${ALICE}'`] },
  { type: 'uuid', condition: 'c = ($)::uuid', claim: `{${UPPER}}`, values: [`'${UPPER}'`, `'${ALICE}'`] },
  { type: 'char(4)', condition: 'c::text = $', claim: 'ab', values: ["'ab'", "'abc'"] },
  { type: 'char(4)', condition: 'c = $', claim: 'ab', values: ["'ab'", "'AB'"] },
  { type: 'char(4)', condition: 'c::text = $', claim: 'ab  ', values: ["'ab'"] },
  { type: 'varchar(4)', condition: 'c = $', claim: 'ab', values: ["'ab'", "'ab '"] },
  { type: 'varchar(4)', condition: 'c::varchar(2) = $', claim: 'ab', values: ["'abcd'", "'acbd'"] },
  { type: 'word', condition: 'c = $', claim: 'x', values: ["'x'", "'X'"] },
  { type: 'mood', condition: 'c::text = $', claim: 'so so', values: ["'so so'", "'glad'"] },
]

const tables = FORMS.map((form, at) => ({ ...form, name: `form_${at}` }))

test('rows are compared with claims by the texts that Postgres gives them', async () => {
  await using world = await openWorld({
    schema: `
      create or replace function auth.jwt() returns jsonb language sql stable as
        $$ select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$;
      create type public.mood as enum ('glad', 'so so');
      create domain public.word as text;
      create domain public.text_flag as boolean;
      ${tables
        .map(
          ({ name, type, condition }) => `
      create table public.${name} (id int primary key, c ${/^(?:mood|word|text_flag)$/.test(type) ? `public.${type}` : type});
      alter table public.${name} enable row level security;
      create policy p on public.${name} for select using (${condition.replace('$', `(auth.jwt() ->> '${name}')`)});`,
        )
        .join('')}
    `,
  })
  const claims = Object.fromEntries(tables.map(({ name, claim }) => [name, claim]))
  const token = Buffer.from(JSON.stringify({ sub: ALICE, role: 'authenticated', ...claims })).toString('base64url')
  const insert = (from: number): string =>
    tables
      .flatMap(({ name, values }) =>
        values.map((value, at) => `insert into public.${name} values (${from + at}, ${value})`),
      )
      .join(';')
  await world.run(insert(0))
  const device = world.device(ALICE, { token })
  device.connect()
  const expectEqual = async (): Promise<void> => {
    const shown = await Promise.all(
      tables.map(({ name, condition, claim }) =>
        world.rows<{ id: string }>(
          `select '${name}/' || id as id from public.${name} where ${condition.replace('$', `'${claim}'::text`)}`,
        ),
      ),
    )
    const expected = shown
      .flat()
      .map(({ id }) => id)
      .toSorted()
    const held = (): string[] => [...device.state.keys()].toSorted()
    await device
      .until(() => JSON.stringify(held()) === JSON.stringify(expected), 'the rows of Postgres', 10_000)
      .catch(() => expect(held()).toEqual(expected))
    expect(device.faults).toEqual([])
  }
  await expectEqual()
  await world.run(insert(100))
  await expectEqual()
  await world.run(
    tables
      .map(({ name }) => `update public.${name} set c = (select c from public.${name} where id = 0) where id > 100`)
      .join(';'),
  )
  await expectEqual()
})
