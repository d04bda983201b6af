import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { EDDA, MOLE, OLGA, table, templateOf, TemplateWorld, text, type Part } from './support/template-world.ts'

// People and rules of the fields of a template; templates.pg.test.ts has the round trip.

let world: TemplateWorld
beforeAll(async () => {
  world = await TemplateWorld.open()
})
afterAll(() => world[Symbol.asyncDispose]())

test('what a template assigns to "me" is that of the member who loads it, and an export names nobody', async () => {
  const assignee = { name: 'assignee', label: 'Assignee', kind: 'link', table: 'hf_members' }
  const records = [
    { id: 'r1', title: 'Mine', assignee: 'me' },
    { id: 'r2', title: 'Open' },
  ]
  const loaded = await world.load(templateOf(table('chores', { fields: [text('title'), assignee], records })))
  const rows = await world.database.pool.query(sql`
    select c.title, m.user_id from public.chores c left join holdfast.members m on m.id = c.assignee order by c.title`)
  expect(rows).toEqual([
    { title: 'Mine', user_id: OLGA },
    { title: 'Open', user_id: null },
  ])
  const { template } = await world.exported()
  expect(template.tables[0]?.['records']).toEqual([
    { id: 'r1', title: 'Mine' },
    { id: 'r2', title: 'Open' },
  ])
  const other = templateOf(
    table('others', { fields: [text('title'), assignee], records: [{ id: 'r1', assignee: 'you' }] }),
  )
  await expect(world.load(other)).rejects.toMatchObject({ hint: 'template.record' })
  await world.remove(loaded)
})

test('defaults that Postgres computes are exported, and become those of the workspace that loads them', async () => {
  const computed = (from: string): Part => ({ rules: { default: { computed: from } } })
  const fields = [
    text('title'),
    { name: 'found_on', label: 'Found on', kind: 'date', ...computed('today') },
    { name: 'noted_at', label: 'Noted at', kind: 'datetime', ...computed('now') },
    { name: 'finder', label: 'Finder', kind: 'link', table: 'hf_members', ...computed('me') },
  ]
  const loaded = await world.load(templateOf(table('finds', { fields })))
  const { template, left_out } = await world.exported()
  expect(left_out).toEqual([])
  expect(template.tables[0]?.['fields']).toMatchObject(fields)

  await world.database.pool.execute(
    sql`update holdfast.workspaces set time_zone = 'Pacific/Kiritimati' where id = ${world.gas}`,
  )
  const other = await world.load(template, MOLE, world.gas)
  expect(
    await world.asked(
      MOLE,
      sql`insert into ${sql.identifier('public', other.tables[0] ?? '')} (title) values ('Coin')
          returning found_on = (now() at time zone 'Pacific/Kiritimati')::date as is_today,
                    noted_at = date_trunc('minute', now()) as is_now,
                    finder = holdfast.my_member_id(${world.gas}) as is_mine`,
    ),
  ).toEqual([{ is_today: true, is_now: true, is_mine: true }])
  const wrong = { ...text('title'), ...computed('today') }
  await expect(world.load(templateOf(table('wrong', { fields: [wrong] })))).rejects.toMatchObject({
    hint: 'template.rule',
  })
  await world.remove(loaded)
  await world.remove(other, MOLE)
})

test('a rule of a field that the sample records break, or of another kind, refuses the template', async () => {
  const withRules = (rules: object, records: readonly Part[] = []): Promise<unknown> =>
    world.load(templateOf(table('ruled', { fields: [text('title', { rules })], records })))
  const twice = [
    { id: 'r1', title: 'a' },
    { id: 'r2', title: 'a' },
  ]
  await expect(withRules({ unique: true }, twice)).rejects.toMatchObject({ hint: 'template.rule' })
  await expect(withRules({ required: true }, [{ id: 'r1' }])).rejects.toMatchObject({ hint: 'template.rule' })
  await expect(withRules({ required_when: [{ field: 'gone', is: 'empty' }] })).rejects.toMatchObject({
    hint: 'template.rule',
  })
  await expect(withRules({ check: 'true' })).rejects.toMatchObject({ hint: 'template.rule' })
})

test('a table that a field of a kept table reads is not removed', async () => {
  const computed = [
    { name: 'visit_count', label: 'Visits', kind: 'rollup', table: 'visits', link: 'place', function: 'count' },
  ]
  const place = { name: 'place', label: 'Place', kind: 'link', table: 'places' }
  const loaded = await world.load(
    templateOf(table('places', { computed }), table('visits', { fields: [text('title'), place] })),
  )
  await world.asked(EDDA, sql`insert into public.places (title) values ('South')`)
  expect(await world.remove(loaded)).toEqual({ removed: [], kept: { places: 'records', visits: 'linked' } })
})
