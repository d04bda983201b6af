import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { EDDA, OLGA, ROUTINES, table, templateOf, TemplateWorld, text, type Part } from './support/template-world.ts'

// Automations of templates. That an export is what was loaded: templates.pg.test.ts; what is refused: refused-templates.pg.test.ts.

let world: TemplateWorld
beforeAll(async () => {
  world = await TemplateWorld.open()
})
afterAll(() => world[Symbol.asyncDispose]())

const ROUNDS_WITH_ROUTINES = {
  ...templateOf(
    table('sites', { fields: [text('name')] }),
    table('rounds', {
      fields: [
        text('title'),
        { name: 'state', label: 'State', kind: 'choice', choices: ['open', 'shut'] },
        { name: 'due_on', label: 'Due', kind: 'date' },
      ],
    }),
    table('replies', { fields: [{ name: 'round', label: 'Round', kind: 'link', table: 'rounds' }] }),
  ),
  automations: ROUTINES,
}

test('automations arrive switched off, run as who loads them, go with their tables, and name what is lacking', async () => {
  const loaded = await world.load(ROUNDS_WITH_ROUTINES)
  const automations = (): Promise<readonly Part[]> =>
    world.asked(OLGA, sql`select name, table_name, is_on, runs_as from holdfast.automations order by name`)
  const one = { table_name: 'rounds', is_on: false, runs_as: OLGA }
  expect(await automations()).toEqual(ROUTINES.map(({ name }) => ({ ...one, name })))
  await world.asked(
    OLGA,
    sql`select holdfast.switch_automation(id, true) from holdfast.automations where name = 'Tell others'`,
  )
  const config = JSON.stringify({
    when: { kind: 'added', table: 'sites' },
    do: [{ kind: 'create', table: 'replies', set: { round: null } }],
  })
  await world.database.pool.execute(sql`insert into public.sites (name) values ('Kept')`)
  await world.asked(
    OLGA,
    sql`select holdfast.switch_automation(holdfast.save_automation(${world.water}, null, 'Stays', ${config}::jsonb), true)`,
  )
  expect(await world.remove(loaded)).toMatchObject({ kept: { sites: 'records' } })
  expect(await world.asked(OLGA, sql`select name, is_on, lacks from holdfast.automations`)).toEqual([
    { name: 'Stays', is_on: false, lacks: 'replies' },
  ])
  await world.asked(OLGA, sql`delete from public.sites`)
  await world.asked(OLGA, sql`select holdfast.delete_automation(id) from holdfast.automations`)
  await world.asked(OLGA, sql`select holdfast.remove_empty_table(${world.water}, 'sites')`)
})

test('automations leave out people, and neither secrets nor addresses of webhooks are exported', async () => {
  const loaded = await world.load(templateOf(table('jobs')))
  const when = { kind: 'added', table: 'jobs' }
  const [{ member } = { member: '' }] = await world.asked<{ member: string }>(
    OLGA,
    sql`select id as member from holdfast.members where user_id = ${EDDA}`,
  )
  const hook = { kind: 'webhook', url: 'https://hooks.chat.example/T0/secret-token', header: 'X-Key' }
  const steps: Readonly<Record<string, Part>> = {
    'To a chat': hook,
    'To one': { kind: 'notify', to: [`member:${member}`], text: 'x' },
    'To others': { kind: 'mail', to: ['email:boss@firma.de'], subject: 'x', text: 'y' },
  }
  for (const [name, step] of Object.entries(steps)) {
    const config = JSON.stringify({ when, do: [step] })
    await world.asked(OLGA, sql`select holdfast.save_automation(${world.water}, null, ${name}, ${config}::jsonb)`)
  }
  await world.asked(
    OLGA,
    sql`select holdfast.set_automation_header(id, ${hook.url}, 'X-Key', 'hidden value') from holdfast.automations where name = 'To a chat'`,
  )
  const { template, left_out } = await world.exported()
  expect(template['automations']).toEqual([{ name: 'To a chat', when, do: [{ ...hook, url: 'https://example.com/' }] }])
  expect(JSON.stringify(template)).not.toMatch(/secret-token|hidden value|whsec|firma/)
  expect(left_out).toEqual([
    { automation: 'To a chat', reason: 'webhook' },
    { automation: 'To one', reason: 'automation' },
    { automation: 'To others', reason: 'automation' },
  ])
  await world.remove(loaded)
})
