import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { EDDA, OLGA, table, templateOf, TemplateWorld, text, type Part } from './support/template-world.ts'

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
