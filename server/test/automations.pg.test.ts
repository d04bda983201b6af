import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import type { AutomationConfig } from '@holdfast/protocol'
import { createPool, type Pool, sharePool, sql } from '@holdfast/postgres'
import { openAutomations } from '../src/automations/automations.ts'
import { tryAutomation } from '../src/automations/try-automation.ts'
import { openAccessWorld, sessionOf, USERS, type AccessWorld, type UserName } from './access-world.ts'

// Automations from the change that starts them to their effects, with the worker of the server on a database.

let world: AccessWorld
let pool: Pool
let worker: ReturnType<typeof openAutomations>

beforeAll(async () => {
  world = await openAccessWorld()
  pool = createPool({ url: world.database.projectUrl, applicationName: 'test automations', connectionsMax: 2 })
  const definition = JSON.stringify({
    name: 'tasks',
    label: 'Tasks',
    fields: [
      { name: 'title', label: 'Title', kind: 'text' },
      { name: 'due_on', label: 'Due on', kind: 'date' },
    ],
    access: { kind: 'members' },
  })
  await world.as('adam', sql`select holdfast.create_table(${world.workspace}, ${definition}::jsonb)`)
  const shared = sharePool(world.database.requestPool, { connectionsMax: 2, shares: { all: { reserved: 0, max: 2 } } })
  worker = openAutomations({
    pool,
    share: shared.share('all'),
    claimsOf: async (userId) => {
      const [user] = await world.database.pool.query(sql`select from auth.users where id = ${userId}`)
      return user ? ({ role: 'authenticated', sub: userId } as never) : undefined
    },
    logger: silentLogger,
  })
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await pool[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await world.database.pool.execute(sql`delete from holdfast.automation_events`)
  await world.database.pool.execute(sql`delete from holdfast.automations`)
  await world.database.pool.execute(sql`truncate public.jobs, public.tasks`)
  await world.database.pool.execute(sql`select holdfast.follow_automations(t) from unnest('{jobs,tasks}'::text[]) t`)
})
afterEach(() => limit())

const save = async (config: unknown, user: UserName = 'adam', name = 'Test'): Promise<string> => {
  const [row] = await world.as<{ id: string }>(
    user,
    sql`select holdfast.save_automation(${world.workspace}, null, ${name}, ${JSON.stringify(config)}::jsonb) as id`,
  )
  return row?.id ?? ''
}
const start = async (config: AutomationConfig, user: UserName = 'adam'): Promise<string> => {
  const id = await save(config, user)
  await world.as(user, sql`select holdfast.switch_automation(${id}, true)`)
  return id
}
const addJob = async (values: Readonly<Record<string, unknown>>, user: UserName = 'edda'): Promise<string> => {
  const id = crypto.randomUUID()
  const names = sql.join(['id', ...Object.keys(values)].map((name) => sql.identifier(name)))
  const json = JSON.stringify({ id, ...values })
  await world.as(
    user,
    sql`insert into public.jobs (${names}) select ${names} from jsonb_populate_record(null::public.jobs, ${json}::jsonb)`,
  )
  return id
}
const job = async (id: string): Promise<Record<string, unknown> | undefined> => {
  const [row] = await world.database.pool.query<Record<string, unknown>>(
    sql`select title, state, reason, n, assignee_id from public.jobs where id = ${id}`,
  )
  return row
}
const runs = (): Promise<readonly Record<string, unknown>[]> =>
  world.database.pool.query(
    sql`select state, cause, reason, error, skipped, steps from holdfast.automation_runs order by ended_at, id`,
  )
const tasks = (): Promise<readonly { title: string; due_on: string | null }[]> =>
  world.database.pool.query(sql`select title, due_on::text from public.tasks order by title`)
const waiting = async (): Promise<number> =>
  (await world.database.pool.query(sql`select from holdfast.automation_events`)).length

/** Lowers limits for a test, or restores them. */
async function limit(limits: Readonly<Record<string, number>> = {}): Promise<void> {
  const [row] = await pool.query<{ text: string }>(
    sql`select pg_get_functiondef('holdfast.automation_limit(text)'::regprocedure) as text`,
  )
  original ??= row?.text
  const changed = Object.entries(limits).reduce(
    (text, [name, value]) => text.replace(new RegExp(`(when '${name}' then )\\d+`), `$1${value}`),
    original ?? '',
  )
  await world.database.pool.execute(sql.trusted(changed))
}
let original: string | undefined

const ADDED = { kind: 'added', table: 'jobs' } as const

describe('a run', () => {
  test('updates the record, creates another and tells members, as the user who switched it on', async () => {
    await start({
      when: ADDED,
      if: [{ field: 'state', is: 'one_of', values: ['open'] }],
      do: [
        { kind: 'update', set: { reason: 'New: {title}', n: '7', assignee_id: world.members['edda'] ?? '' } },
        { kind: 'create', table: 'tasks', set: { title: 'Check {title}', due_on: '{today+1}' } },
        { kind: 'notify', to: ['field:assignee_id', 'admins', 'creator'], text: '{title} is {state}' },
      ],
    })
    const id = await addJob({ title: 'Pump', state: 'open', assignee_id: world.members['vera'] }, 'emil')
    await addJob({ title: 'Valve', state: 'done' })
    await worker.settled()

    expect(await job(id)).toMatchObject({ reason: 'New: Pump', n: '7', assignee_id: world.members['edda'] })
    expect(await tasks()).toHaveLength(1)
    const [{ created_by: author } = {}] = await world.database.pool.query<{ created_by: string }>(
      sql`select created_by from public.tasks`,
    )
    expect(author).toBe(USERS.adam.id)
    const told = await world.database.pool.query<{ user_id: string; body: string }>(
      sql`select user_id, body, table_name, record_id from holdfast.notices order by user_id`,
    )
    // The assignee as the record was when the run began.
    const users = [USERS.olga, USERS.adam, USERS.emil, USERS.vera]
    expect(told).toEqual(
      users.map((user) => ({ user_id: user.id, body: 'Pump is open', table_name: 'jobs', record_id: id })),
    )
    expect(await runs()).toMatchObject([
      {
        state: 'done',
        cause: 'added',
        reason: null,
        steps: [{ kind: 'update' }, { kind: 'create' }, { kind: 'notify' }],
      },
    ])
    expect(await world.as('vera', sql`select body from holdfast.notices`)).toEqual([{ body: 'Pump is open' }])
  })

  test.each<[string, object, { from: string | null; to: string | null }[], number]>([
    ['any change of the record', {}, [{ from: 'open', to: 'done' }], 1],
    [
      'a change of the field',
      { field: 'state' },
      [
        { from: 'open', to: 'done' },
        { from: 'done', to: 'done' },
      ],
      1,
    ],
    [
      'a change to a value',
      { field: 'state', to: ['done'] },
      [
        { from: 'open', to: 'blocked' },
        { from: 'open', to: 'done' },
      ],
      1,
    ],
    [
      'a change from a value',
      { field: 'state', from: ['open'], to: ['done', 'blocked'] },
      [
        { from: 'blocked', to: 'done' },
        { from: 'open', to: 'blocked' },
      ],
      1,
    ],
    [
      'a change to no value',
      { field: 'state', to: [''] },
      [
        { from: 'open', to: null },
        { from: 'open', to: 'done' },
      ],
      1,
    ],
  ])('starts with %s, and with no other', async (_title, trigger, steps, expected) => {
    await start({
      when: { kind: 'changed', table: 'jobs', ...trigger },
      do: [{ kind: 'create', table: 'tasks', set: { title: 'Again' } }],
    })
    for (const { from, to } of steps) {
      const id = await addJob({ title: 'x', state: from })
      await world.as('edda', sql`update public.jobs set state = ${to}, updated_at = now() where id = ${id}`)
    }
    await worker.settled()
    expect(await tasks()).toHaveLength(expected)
  })

  test('that fails changes nothing, says where and why, and can be repeated', async () => {
    await start({
      when: ADDED,
      do: [
        { kind: 'create', table: 'tasks', set: { title: 'First' } },
        { kind: 'update', set: { state: '{reason}' } },
      ],
    })
    const id = await addJob({ title: 'Pump', reason: 'nonsense' })
    await worker.settled()
    expect(await tasks()).toEqual([])
    const failed = {
      state: 'failed',
      reason: 'automation.value',
      steps: [{ kind: 'create' }, { kind: 'failed', place: 1 }],
    }
    expect(await runs()).toMatchObject([
      { ...failed, error: expect.stringContaining('violates check constraint') as string },
    ])

    await world.as('edda', sql`update public.jobs set reason = 'done' where id = ${id}`)
    const [{ id: run } = {}] = await world.database.pool.query<{ id: string }>(
      sql`select id from holdfast.automation_runs`,
    )
    await world.as('adam', sql`select holdfast.run_automation_again(${run})`)
    await worker.settled()
    expect(await job(id)).toMatchObject({ state: 'done' })
    expect(await runs()).toMatchObject([failed, { state: 'done', cause: 'again' }])
  })
})

describe('a try', () => {
  const attempt = (config: AutomationConfig, record: string, user: UserName = 'adam') =>
    tryAutomation(world.database.requestPool, sessionOf(user), { workspace: world.workspace, config, record })

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

describe('rights', () => {
  const config: AutomationConfig = { when: ADDED, do: [{ kind: 'update', set: { n: '1' } }] }

  test.each<UserName>(['edda', 'cora', 'vera', 'gus', 'mole'])(
    '%s, who is no admin, neither makes nor sees any',
    async (user) => {
      const id = await start(config)
      await addJob({ title: 'Pump' })
      await worker.settled()
      const refused = { code: '42501' }
      await expect(save(config, user)).rejects.toMatchObject(refused)
      await expect(
        world.as(
          user,
          sql`select holdfast.save_automation(${world.workspace}, ${id}, 'Mine', ${JSON.stringify(config)}::jsonb)`,
        ),
      ).rejects.toMatchObject(refused)
      await expect(world.as(user, sql`select holdfast.switch_automation(${id}, true)`)).rejects.toMatchObject(refused)
      await expect(world.as(user, sql`select holdfast.delete_automation(${id})`)).rejects.toMatchObject(refused)
      const [run] = await world.database.pool.query<{ id: string }>(sql`select id from holdfast.automation_runs`)
      await expect(world.as(user, sql`select holdfast.run_automation_again(${run?.id})`)).rejects.toMatchObject(refused)
      for (const table of ['automations', 'automation_runs'])
        expect(await world.as(user, sql`select from holdfast.${sql.identifier(table)}`)).toEqual([])
      await expect(world.as(user, sql`select from holdfast.automation_events`)).rejects.toThrow('permission denied')
    },
  )

  test('an automation runs as whoever saved or switched it on last, and nobody names another user', async () => {
    const id = await start(config, 'olga')
    const runsAs = async (): Promise<unknown> =>
      (await world.as<{ runs_as: string }>('adam', sql`select runs_as from holdfast.automations`))[0]?.runs_as
    expect(await runsAs()).toBe(USERS.olga.id)
    await world.as(
      'adam',
      sql`select holdfast.save_automation(${world.workspace}, ${id}, 'Mine', ${JSON.stringify(config)}::jsonb)`,
    )
    expect(await runsAs()).toBe(USERS.adam.id)
    await world.as('olga', sql`select holdfast.switch_automation(${id}, false)`)
    expect(await runsAs()).toBe(USERS.adam.id)
    await world.as('olga', sql`select holdfast.switch_automation(${id}, true)`)
    expect(await runsAs()).toBe(USERS.olga.id)
    await expect(
      world.as('adam', sql`update holdfast.automations set runs_as = ${USERS.olga.id}`),
    ).rejects.toMatchObject({ code: '42501' })
    await expect(save({ ...config, runs_as: USERS.olga.id })).rejects.toMatchObject({ hint: 'automation.config' })
    await addJob({ title: 'Pump' })
    const end = sql`select holdfast.settle_automation(e, gen_random_uuid(), 2, '{}') from generate_series(1, 1000) e`
    await expect(world.as('adam', end)).rejects.toMatchObject({ hint: 'automation.lost' })
  })

  test.each([
    [
      'an editor',
      sql`update holdfast.members set role = 'editor' where user_id = ${USERS.adam.id}`,
      'automation.not_admin',
    ],
    [
      'deactivated',
      sql`update holdfast.members set status = 'deactivated' where user_id = ${USERS.adam.id}`,
      'automation.not_admin',
    ],
  ])(
    'a user who has become %s changes nothing any more: the automation says why and stops',
    async (_title, revoke, reason) => {
      await start(config)
      await world.database.pool.execute(revoke)
      try {
        const ids = [await addJob({ title: 'Pump' }), await addJob({ title: 'Valve' })]
        await worker.settled()
        for (const id of ids) expect(await job(id)).toMatchObject({ n: null })
        expect(await runs()).toMatchObject([
          { state: 'failed', reason },
          { state: 'skipped', skipped: 1 },
        ])
        expect(await world.as('olga', sql`select is_on, paused_reason from holdfast.automations`)).toEqual([
          { is_on: false, paused_reason: reason },
        ])
      } finally {
        await world.database.pool.execute(
          sql`update holdfast.members set role = 'admin', status = 'active' where user_id = ${USERS.adam.id}`,
        )
      }
    },
  )
})

describe('bounds', () => {
  test('an automation does not start itself for the same record', async () => {
    await start({ when: { kind: 'changed', table: 'jobs' }, do: [{ kind: 'update', set: { title: '{title}!' } }] })
    const id = await addJob({ title: 'x' })
    await world.as('edda', sql`update public.jobs set n = 1 where id = ${id}`)
    await worker.settled()
    expect(await job(id)).toMatchObject({ title: 'x!' })
    expect(await runs()).toHaveLength(1)
  })

  test('a chain of automations ends after 5 runs, visibly', async () => {
    await start({ when: ADDED, do: [{ kind: 'create', table: 'tasks', set: { title: '{title}t' } }] })
    await start({
      when: { kind: 'added', table: 'tasks' },
      do: [{ kind: 'create', table: 'jobs', set: { title: '{title}j' } }],
    })
    await addJob({ title: '' })
    await worker.settled()
    expect(await tasks()).toEqual(['t', 'tjt', 'tjtjt'].map((title) => ({ title, due_on: null })))
    expect((await runs()).filter(({ state }) => state === 'skipped')).toMatchObject([{ reason: 'chain', skipped: 1 }])
  })

  test('a storm of changes is cut: what waits is bounded, the automation stops, and the rest is counted', async () => {
    await limit({ waiting: 20, 'runs of an automation in an hour': 5 })
    await start({ when: ADDED, do: [{ kind: 'notify', to: ['admins'], text: '{title}' }] })
    await world.as('edda', sql`insert into public.jobs (title) select 'Row ' || n from generate_series(1, 10000) n`)
    expect(await waiting()).toBe(21)
    await worker.settled()
    const all = await runs()
    expect(all.filter(({ state }) => state === 'done')).toHaveLength(5)
    expect(all.filter(({ state }) => state === 'failed')).toMatchObject([{ reason: 'automation.too_many' }])
    expect(all.reduce((sum, { skipped }) => sum + Number(skipped), 0)).toBe(10_000 - 6)
    expect(await world.as('adam', sql`select is_on, paused_reason from holdfast.automations`)).toEqual([
      { is_on: false, paused_reason: 'automation.too_many' },
    ])
    expect(await waiting()).toBe(0)
  })

  test('notices above the limit are merged into the latest', async () => {
    await limit({ 'notices of an automation to a user in an hour': 2 })
    await start({ when: ADDED, do: [{ kind: 'notify', to: ['admins'], text: '{title}' }] })
    for (let n = 0; n < 5; n++) await addJob({ title: `Row ${n}` })
    await worker.settled()
    expect(await world.as('adam', sql`select body, more from holdfast.notices order by body`)).toEqual([
      { body: 'Row 0', more: 0 },
      { body: 'Row 1', more: 3 },
    ])
  })

  test('a table without an automation has no trigger', async () => {
    const triggers = (): Promise<readonly unknown[]> =>
      world.database.pool.query(sql`select tgname from pg_trigger where tgname like 'holdfast_automations%'`)
    expect(await triggers()).toEqual([])
    const id = await start({ when: ADDED, do: [{ kind: 'update', set: { n: '1' } }] })
    expect(await triggers()).toEqual([{ tgname: 'holdfast_automations_added' }])
    await world.as('adam', sql`select holdfast.switch_automation(${id}, false)`)
    expect(await triggers()).toEqual([])
  })
})

describe('a server that dies in the middle of a run', () => {
  const LOCK = 4242
  const create: AutomationConfig = { when: ADDED, do: [{ kind: 'create', table: 'tasks', set: { title: 'Once' } }] }
  const isBlocked = async (): Promise<number | undefined> => {
    const [row] = await world.database.pool.query<{ pid: number }>(
      sql`select pid from pg_locks where locktype = 'advisory' and not granted and objid = ${LOCK}`,
    )
    return row?.pid
  }
  beforeAll(() =>
    world.projectPool.execute(
      sql.trusted(`
      create function public.wait_here() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock_shared(${LOCK}); return null; end';
      create trigger wait_here after insert on public.tasks for each row execute function public.wait_here();`),
    ),
  )

  /** Blocks a run after its insert, does something to it, and lets it go on. */
  async function interrupt(act: (pid: number) => Promise<unknown>): Promise<void> {
    await world.database.pool.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`)
      await addJob({ title: 'Pump' })
      worker.wake()
      await expect.poll(isBlocked, { timeout: 5_000 }).toBeTypeOf('number')
      await act((await isBlocked()) ?? 0)
    })
  }

  test.each<[string, (pid: number) => Promise<unknown>]>([
    ['its connection is lost', (pid) => world.database.pool.execute(sql`select pg_terminate_backend(${pid})`)],
    [
      'another server has taken the run over',
      () => world.database.pool.execute(sql`update holdfast.automation_events set claim = gen_random_uuid()`),
    ],
  ])('has the effects once, when %s', async (_title, act) => {
    await start(create)
    await interrupt(act)
    await expect
      .poll(
        async () => {
          await world.database.pool.execute(
            sql`update holdfast.automation_events set due_at = now() where claim is not null and due_at > now()`,
          )
          await worker.settled()
          return runs()
        },
        { timeout: 5_000 },
      )
      .toHaveLength(1)
    expect(await tasks()).toEqual([{ title: 'Once', due_on: null }])
    expect(await runs()).toMatchObject([{ state: 'done' }])
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
