import { describe, expect, test } from 'vitest'
import type { AutomationConfig } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { USERS } from './access-world.ts'
import { ADDED, useAutomationWorld } from './automation-world.ts'

// What becomes of automations when their tables, fields, options and users change.

const given = useAutomationWorld()
const { start, addJob, job, runs, tasks, waiting } = given

interface State {
  readonly is_on: boolean
  readonly paused_reason: string | null
  readonly lacks: string | null
}

const states = (): Promise<readonly State[]> =>
  given.world.as<State>('olga', sql`select is_on, paused_reason, lacks from holdfast.automations order by created_at`)
const change = (table: string, wanted: object): Promise<unknown> =>
  given.world.as(
    'adam',
    sql`select holdfast.change_table(${given.world.workspace}, ${table}, ${JSON.stringify(wanted)}::jsonb)`,
  )
const configOf = async (): Promise<AutomationConfig> => {
  const [row] = await given.world.as<{ config: AutomationConfig }>('olga', sql`select config from holdfast.automations`)
  return row?.config as AutomationConfig
}

describe('a renamed option', () => {
  const choices = (all: readonly string[], renamed: Readonly<Record<string, string>>): Promise<unknown> =>
    change('jobs', { kind: 'edit_field', field: 'state', choices: all, renamed })

  test('keeps its meaning in the trigger, the conditions and the steps, also when two become one', async () => {
    await start({
      when: { kind: 'changed', table: 'jobs', field: 'state', from: ['open', 'blocked'], to: ['done'] },
      if: [{ field: 'state', is: 'one_of', values: ['done'] }],
      do: [
        { kind: 'update', set: { state: 'blocked', reason: 'done' } },
        { kind: 'create', table: 'jobs', set: { title: 'Next', state: 'open' } },
      ],
    })
    await choices(['to do', 'finished'], { open: 'to do', blocked: 'to do', done: 'finished' })
    try {
      expect(await configOf()).toEqual({
        when: { kind: 'changed', table: 'jobs', field: 'state', from: ['to do'], to: ['finished'] },
        if: [{ field: 'state', is: 'one_of', values: ['finished'] }],
        do: [
          { kind: 'update', set: { state: 'to do', reason: 'done' } },
          { kind: 'create', table: 'jobs', set: { title: 'Next', state: 'to do' } },
        ],
      })
      const id = await addJob({ title: 'Pump', state: 'to do' })
      await given.world.as('edda', sql`update public.jobs set state = 'finished' where id = ${id}`)
      await given.worker.settled()
      expect(await job(id)).toMatchObject({ state: 'to do', reason: 'done' })
    } finally {
      await given.world.database.pool.execute(sql`delete from holdfast.automations`)
      await choices(['open', 'blocked', 'done', 'to do', 'finished'], {})
    }
  })
})

describe('a deleted field', () => {
  test('stops the automations that name it, which say so, and resumes them when it is restored', async () => {
    const add = { kind: 'add_field', field: { name: 'place', label: 'Place of work', kind: 'text' } }
    await change('tasks', add)
    await start({ when: ADDED, do: [{ kind: 'create', table: 'tasks', set: { title: 'x', place: 'y' } }] })
    await start({ when: ADDED, do: [{ kind: 'update', set: { n: '1' } }] })
    await addJob({ title: 'Waits' })

    await change('tasks', { kind: 'delete_field', field: 'place' })
    expect(await states()).toEqual([
      { is_on: false, paused_reason: 'automation.field', lacks: 'Place of work' },
      { is_on: true, paused_reason: null, lacks: null },
    ])
    expect(await runs()).toMatchObject([{ state: 'skipped', reason: 'automation.field', skipped: 1 }])
    await addJob({ title: 'While it is gone' })
    await given.worker.settled()
    expect((await runs()).filter(({ state }) => state === 'failed')).toEqual([])

    await change('tasks', { kind: 'restore_field', field: 'place' })
    expect(await states()).toEqual([0, 1].map(() => ({ is_on: true, paused_reason: null, lacks: null })))
    await addJob({ title: 'Back' })
    await given.worker.settled()
    expect(await tasks()).toHaveLength(1)
    await change('tasks', { kind: 'delete_field', field: 'place' })
  })

  const set = { kind: 'update', set: { n: '1' } } as const
  test.each<[string, (field: string) => AutomationConfig]>([
    ['condition', (field) => ({ when: ADDED, if: [{ field, is: 'filled' }], do: [set] })],
    ['text', (field) => ({ when: ADDED, do: [{ kind: 'notify', to: ['admins'], text: `At {${field}}` }] })],
    ['trigger', (field) => ({ when: { kind: 'changed', table: 'jobs', field }, do: [set] })],
  ])('of a %s is noticed too, and running it anyway says what it lacks', async (name, configOf_) => {
    const field = `spot_of_${name}`
    await change('jobs', { kind: 'add_field', field: { name: field, label: 'Spot', kind: 'text' } })
    await start(configOf_(field))
    const id = await addJob({ title: 'x', [field]: 'y' })
    await given.world.as('edda', sql`update public.jobs set ${sql.identifier(field)} = 'z' where id = ${id}`)
    await given.worker.settled()
    await change('jobs', { kind: 'delete_field', field })
    expect(await states()).toMatchObject([{ is_on: false, lacks: 'Spot' }])
    const [run] = await given.world.database.pool.query<{ id: string }>(sql`select id from holdfast.automation_runs`)
    await given.world.as('adam', sql`select holdfast.run_automation_again(${run?.id})`)
    await given.worker.settled()
    expect((await runs()).at(-1)).toMatchObject({
      state: 'failed',
      reason: 'automation.field',
      error: 'The automation lacks: Spot',
    })
  })
})

test('a deleted table stops its automations and those that add to it, and restoring it resumes them', async () => {
  await start({ when: { kind: 'added', table: 'tasks' }, do: [{ kind: 'notify', to: ['admins'], text: '{title}' }] })
  await start({ when: ADDED, do: [{ kind: 'create', table: 'tasks', set: { title: 'New {title}' } }] })
  await change('tasks', { kind: 'delete_table' })
  expect(await states()).toEqual(
    [0, 1].map(() => ({ is_on: false, paused_reason: 'automation.table', lacks: 'Tasks' })),
  )
  await addJob({ title: 'Pump' })
  expect(await waiting()).toBe(0)
  await given.world.as('adam', sql`select holdfast.restore_table(${given.world.workspace}, 'tasks')`)
  expect(await states()).toEqual([0, 1].map(() => ({ is_on: true, paused_reason: null, lacks: null })))
  await addJob({ title: 'Valve' })
  await given.worker.settled()
  expect(await runs()).toMatchObject([{ state: 'done' }, { state: 'done' }])
})

test('one that a user has switched off stays off when what it lacked comes back', async () => {
  const id = await start({ when: ADDED, do: [{ kind: 'create', table: 'tasks', set: { title: 'x' } }] })
  await change('tasks', { kind: 'delete_table' })
  await given.world.as('olga', sql`select holdfast.switch_automation(${id}, false)`)
  await given.world.as('adam', sql`select holdfast.restore_table(${given.world.workspace}, 'tasks')`)
  expect(await states()).toEqual([{ is_on: false, paused_reason: null, lacks: null }])
})

test('a text has the names of linked records as far as the user sees them, a link keeps the id', async () => {
  const { members, teams, workspace } = given.world
  await start({
    when: ADDED,
    if: [{ field: 'title', is: 'one_of', values: ['Pump'] }],
    do: [
      { kind: 'update', set: { reason: '{assignee_id} of {team_id}', title: '{assignee_id}' } },
      { kind: 'create', table: 'jobs', set: { title: 'For {assignee_id}', assignee_id: '{assignee_id}' } },
      { kind: 'notify', to: ['admins'], text: 'It is {assignee_id}’s' },
    ],
  })
  const id = await addJob({ title: 'Pump', assignee_id: members['edda'], team_id: teams[0] })
  await given.worker.settled()
  const named = await given.world.database.pool.query<{ member: string; team: string }>(sql`
    select m.name as member, t.name as team from holdfast.members m, holdfast.teams t
     where m.id = ${members['edda']} and t.id = ${teams[0]} and m.workspace_id = ${workspace}`)
  const { member = '', team = '' } = named[0] ?? {}
  expect(await job(id)).toMatchObject({ reason: `${member} of ${team}`, title: member })
  expect(
    await given.world.database.pool.query(sql`select title, assignee_id from public.jobs where id <> ${id}`),
  ).toEqual([{ title: `For ${member}`, assignee_id: members['edda'] }])
  expect(await given.world.as('adam', sql`select body from holdfast.notices`)).toEqual([{ body: `It is ${member}’s` }])
})

test.each([
  ['loses the role', sql`update holdfast.members set role = 'editor' where user_id = ${USERS.adam.id}`],
  ['is deactivated', sql`update holdfast.members set status = 'deactivated' where user_id = ${USERS.adam.id}`],
])('a user who %s stops their automations at once, and what waits is counted', async (_title, revoke) => {
  await start({ when: ADDED, do: [{ kind: 'update', set: { n: '1' } }] })
  const id = await addJob({ title: 'Pump' })
  await given.world.database.pool.execute(revoke)
  try {
    await given.worker.settled()
    expect(await job(id)).toMatchObject({ n: null })
    expect(await runs()).toMatchObject([{ state: 'skipped', reason: 'automation.not_admin', skipped: 1 }])
    expect(await states()).toEqual([{ is_on: false, paused_reason: 'automation.not_admin', lacks: null }])
  } finally {
    await given.world.database.pool.execute(
      sql`update holdfast.members set role = 'admin', status = 'active' where user_id = ${USERS.adam.id}`,
    )
  }
})
