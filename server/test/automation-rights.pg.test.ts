import { describe, expect, test } from 'vitest'
import type { AutomationConfig } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { tryAutomation } from '../src/automations/try-automation.ts'
import { sessionOf, USERS, type UserName } from './access-world.ts'
import { ADDED, useAutomationWorld } from './automation-world.ts'

// Who may make, try and see automations, as whom they run, and what the database refuses.

const given = useAutomationWorld()
const { save, start, addJob, job, tasks, waiting } = given

describe('rights', () => {
  const config: AutomationConfig = { when: ADDED, do: [{ kind: 'update', set: { n: '1' } }] }

  test.each<UserName>(['edda', 'cora', 'vera', 'gus', 'mole'])(
    '%s, who is no admin, neither makes nor sees any',
    async (user) => {
      const id = await start(config)
      await addJob({ title: 'Pump' })
      await given.worker.settled()
      const refused = { code: '42501' }
      await expect(save(config, user)).rejects.toMatchObject(refused)
      await expect(
        given.world.as(
          user,
          sql`select holdfast.save_automation(${given.world.workspace}, ${id}, 'Mine', ${JSON.stringify(config)}::jsonb)`,
        ),
      ).rejects.toMatchObject(refused)
      await expect(given.world.as(user, sql`select holdfast.switch_automation(${id}, true)`)).rejects.toMatchObject(
        refused,
      )
      await expect(given.world.as(user, sql`select holdfast.delete_automation(${id})`)).rejects.toMatchObject(refused)
      const [run] = await given.world.database.pool.query<{ id: string }>(sql`select id from holdfast.automation_runs`)
      await expect(given.world.as(user, sql`select holdfast.run_automation_again(${run?.id})`)).rejects.toMatchObject(
        refused,
      )
      for (const table of ['automations', 'automation_runs'])
        expect(await given.world.as(user, sql`select from holdfast.${sql.identifier(table)}`)).toEqual([])
      await expect(given.world.as(user, sql`select from holdfast.automation_events`)).rejects.toThrow(
        'permission denied',
      )
    },
  )

  test('an automation runs as whoever saved or switched it on last, and nobody names another user', async () => {
    const id = await start(config, 'olga')
    const runsAs = async (): Promise<unknown> =>
      (await given.world.as<{ runs_as: string }>('adam', sql`select runs_as from holdfast.automations`))[0]?.runs_as
    expect(await runsAs()).toBe(USERS.olga.id)
    await given.world.as(
      'adam',
      sql`select holdfast.save_automation(${given.world.workspace}, ${id}, 'Mine', ${JSON.stringify(config)}::jsonb)`,
    )
    expect(await runsAs()).toBe(USERS.adam.id)
    await given.world.as('olga', sql`select holdfast.switch_automation(${id}, false)`)
    expect(await runsAs()).toBe(USERS.adam.id)
    await given.world.as('olga', sql`select holdfast.switch_automation(${id}, true)`)
    expect(await runsAs()).toBe(USERS.olga.id)
    await expect(
      given.world.as('adam', sql`update holdfast.automations set runs_as = ${USERS.olga.id}`),
    ).rejects.toMatchObject({ code: '42501' })
    await expect(save({ ...config, runs_as: USERS.olga.id })).rejects.toMatchObject({ hint: 'automation.config' })
    await addJob({ title: 'Pump' })
    const end = sql`select holdfast.settle_automation(e, gen_random_uuid(), 2, '{}') from generate_series(1, 1000) e`
    await expect(given.world.as('adam', end)).rejects.toMatchObject({ hint: 'automation.lost' })
  })
})

describe('a try', () => {
  const attempt = (config: AutomationConfig, record: string, user: UserName = 'adam') =>
    tryAutomation(given.world.database.requestPool, sessionOf(user), {
      workspace: given.world.workspace,
      config,
      record,
    })

  test('says what would change, for whom, and keeps nothing of it', async () => {
    await start({ when: { kind: 'added', table: 'tasks' }, do: [{ kind: 'notify', to: ['admins'], text: 'x' }] })
    const id = await addJob({ title: 'Pump', state: 'open' })
    const config: AutomationConfig = {
      when: ADDED,
      if: [{ field: 'state', is: 'one_of', values: ['open'] }],
      do: [
        { kind: 'update', set: { state: 'done', n: '3' } },
        { kind: 'create', table: 'tasks', set: { title: 'After {title}' } },
      ],
    }
    expect(await attempt(config, id)).toMatchObject({
      matches: true,
      steps: [
        {
          kind: 'update',
          changes: [
            { field: 'state', from: 'open', to: 'done' },
            { field: 'n', from: null, to: '3' },
          ],
        },
        { kind: 'create', table: 'tasks', changes: [{ field: 'title', from: null, to: 'After Pump' }] },
      ],
    })
    expect(await job(id)).toMatchObject({ state: 'open', n: null })
    expect(await tasks()).toEqual([])
    expect(await waiting()).toBe(0)
    const done = await addJob({ title: 'Valve', state: 'done' })
    expect(await attempt(config, done)).toEqual({ matches: false, steps: [] })
  })

  test('names the step that would fail; is refused to those who are no admins', async () => {
    const id = await addJob({ title: 'Pump' })
    const config: AutomationConfig = { when: ADDED, do: [{ kind: 'update', set: { day: '{title}' } }] }
    expect(await attempt(config, id)).toMatchObject({
      matches: true,
      failure: { place: 0, reason: 'automation.value' },
    })
    await expect(attempt(config, id, 'edda')).rejects.toMatchObject({ hint: 'people.not_admin' })
  })
})

test.each<[string, unknown]>([
  ['automation.do', { when: ADDED }],
  ['automation.config', { when: ADDED, do: [], also: 1 }],
  ['automation.when', { when: { kind: 'full_moon', table: 'jobs' }, do: [{ kind: 'update', set: { n: '1' } }] }],
  [
    'automation.when',
    { when: { kind: 'added', table: 'jobs', field: 'n' }, do: [{ kind: 'update', set: { n: '1' } }] },
  ],
  [
    'automation.field',
    {
      when: { kind: 'due', table: 'jobs', field: 'title', days: 1, at: '08:00' },
      do: [{ kind: 'update', set: { n: '1' } }],
    },
  ],
  [
    'automation.when',
    {
      when: { kind: 'due', table: 'jobs', field: 'day', days: 1.5, at: '08:00' },
      do: [{ kind: 'update', set: { n: '1' } }],
    },
  ],
  [
    'automation.when',
    {
      when: { kind: 'due', table: 'jobs', field: 'day', days: 1, at: '24:00' },
      do: [{ kind: 'update', set: { n: '1' } }],
    },
  ],
  ['automation.table', { when: { kind: 'added', table: 'members' }, do: [{ kind: 'update', set: { n: '1' } }] }],
  [
    'automation.values',
    { when: { kind: 'changed', table: 'jobs', field: 'n', to: ['many'] }, do: [{ kind: 'update', set: { n: '1' } }] },
  ],
  ['access.field', { when: ADDED, if: [{ field: 'x', is: 'filled' }], do: [{ kind: 'update', set: { n: '1' } }] }],
  ['automation.do', { when: ADDED, do: [] }],
  ['automation.do', { when: ADDED, do: [{ kind: 'drop' }] }],
  ['automation.do', { when: ADDED, do: Array.from({ length: 11 }, () => ({ kind: 'update', set: { n: '1' } })) }],
  ['automation.field', { when: ADDED, do: [{ kind: 'update', set: { created_by: 'x' } }] }],
  ['automation.field', { when: ADDED, do: [{ kind: 'create', table: 'tasks', set: { id: 'x' } }] }],
  ['automation.set', { when: ADDED, do: [{ kind: 'update', set: {} }] }],
  ['automation.text', { when: ADDED, do: [{ kind: 'update', set: { title: 7 } }] }],
  ['automation.placeholder', { when: ADDED, do: [{ kind: 'update', set: { title: 'a {nothing}' } }] }],
  ['automation.recipients', { when: ADDED, do: [{ kind: 'notify', to: ['field:team_id'], text: 'x' }] }],
  ['automation.recipients', { when: ADDED, do: [{ kind: 'notify', to: [`member:${USERS.mole.id}`], text: 'x' }] }],
])('the database refuses, with %s, %j', async (hint, config) => {
  await expect(save(config)).rejects.toMatchObject({ hint })
})
