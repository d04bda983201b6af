import { beforeAll, describe, expect, test } from 'vitest'
import type { AutomationConfig } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { USERS } from './access-world.ts'
import { ADDED, useAutomationWorld } from './automation-world.ts'

// Automations from the change that starts them to their effects, with the worker of the server on a database.

const given = useAutomationWorld()
const { start, addJob, job, runs, tasks, waiting, limit } = given

describe('a run', () => {
  test('updates the record, creates another and tells members, as the user who switched it on', async () => {
    await start({
      when: ADDED,
      if: [{ field: 'state', is: 'one_of', values: ['open'] }],
      do: [
        { kind: 'update', set: { reason: 'New: {title}', n: '7', assignee_id: given.world.members['edda'] ?? '' } },
        { kind: 'create', table: 'tasks', set: { title: 'Check {title}', due_on: '{today+1}' } },
        { kind: 'notify', to: ['field:assignee_id', 'admins', 'creator'], text: '{title} is {state}' },
      ],
    })
    const id = await addJob({ title: 'Pump', state: 'open', assignee_id: given.world.members['vera'] }, 'emil')
    await addJob({ title: 'Valve', state: 'done' })
    await given.worker.settled()

    expect(await job(id)).toMatchObject({ reason: 'New: Pump', n: '7', assignee_id: given.world.members['edda'] })
    expect(await tasks()).toHaveLength(1)
    const [{ created_by: author } = {}] = await given.world.database.pool.query<{ created_by: string }>(
      sql`select created_by from public.tasks`,
    )
    expect(author).toBe(USERS.adam.id)
    const told = await given.world.database.pool.query<{ user_id: string; body: string }>(
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
    expect(await given.world.as('vera', sql`select body from holdfast.notices`)).toEqual([{ body: 'Pump is open' }])
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
      await given.world.as('edda', sql`update public.jobs set state = ${to}, updated_at = now() where id = ${id}`)
    }
    await given.worker.settled()
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
    await given.worker.settled()
    expect(await tasks()).toEqual([])
    const failed = {
      state: 'failed',
      reason: 'automation.value',
      steps: [{ kind: 'create' }, { kind: 'failed', place: 1 }],
    }
    expect(await runs()).toMatchObject([
      { ...failed, error: expect.stringContaining('violates check constraint') as string },
    ])

    await given.world.as('edda', sql`update public.jobs set reason = 'done' where id = ${id}`)
    const [{ id: run } = {}] = await given.world.database.pool.query<{ id: string }>(
      sql`select id from holdfast.automation_runs`,
    )
    await given.world.as('adam', sql`select holdfast.run_automation_again(${run})`)
    await given.worker.settled()
    expect(await job(id)).toMatchObject({ state: 'done' })
    expect(await runs()).toMatchObject([failed, { state: 'done', cause: 'again' }])
  })
})

describe('a date', () => {
  const at = '08:00'
  /** Lets the clocks of all automations show a moment that has just passed. */
  const clockAt = (moment: string): Promise<unknown> =>
    given.world.database.pool.execute(sql`update holdfast.automation_clocks set next_at = ${moment}::timestamptz`)
  const clock = async (): Promise<string | undefined> =>
    (
      await given.world.database.pool.query<{ at: string }>(
        sql`select to_json(next_at at time zone 'UTC') #>> '{}' as at from holdfast.automation_clocks`,
      )
    )[0]?.at
  const today = new Date().toISOString().slice(0, 10)
  const inDays = (days: number): string => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10)
  const remind = (field: string, days: number): AutomationConfig => ({
    when: { kind: 'due', table: 'jobs', field, days, at },
    do: [{ kind: 'create', table: 'tasks', set: { title: '{title}', due_on: `{${field}}` } }],
  })

  test.each([
    ['before', 1],
    ['on', 0],
    ['after', -3],
  ])('starts it %s the day, once for each record and date, and again for another date', async (_title, days) => {
    await start(remind('day', days))
    const id = await addJob({ title: 'Due', day: inDays(days) })
    await addJob({ title: 'Other day', day: inDays(days + 1) })
    await addJob({ title: 'No day' })
    for (let round = 0; round < 2; round++) {
      await clockAt(`${today}T00:00:00Z`)
      await given.worker.settled()
    }
    expect(await tasks()).toEqual([{ title: 'Due', due_on: inDays(days) }])
    expect(await clock()).toMatch(/T08:00:00$/)
    await given.world.as('edda', sql`update public.jobs set day = ${inDays(days + 5)} where id = ${id}`)
    await given.world.as('edda', sql`update public.jobs set day = ${inDays(days)} where id = ${id}`)
    await clockAt(`${today}T00:00:00Z`)
    await given.worker.settled()
    expect(await tasks()).toHaveLength(1)
  })

  test('whose moments passed while the server was off starts it afterwards, for a week', async () => {
    await start(remind('day', 0))
    await addJob({ title: 'Two days ago', day: inDays(-2) })
    await addJob({ title: 'Long ago', day: inDays(-9) })
    await clockAt(`${inDays(-9)}T08:00:00Z`)
    await given.worker.settled()
    expect(await tasks()).toEqual([{ title: 'Two days ago', due_on: inDays(-2) }])
  })

  test('whose field is gone stops it, and no other automation', async () => {
    await given.world.projectPool.execute(sql`alter table public.jobs add column gone_on date`)
    const id = await start(remind('gone_on', 0))
    await start({ when: ADDED, do: [{ kind: 'update', set: { n: '1' } }] })
    await given.world.projectPool.execute(sql`alter table public.jobs drop column gone_on`)
    await clockAt(`${today}T00:00:00Z`)
    const job_ = await addJob({ title: 'x' })
    await given.worker.settled()
    expect(await job(job_)).toMatchObject({ n: '1' })
    expect(await given.world.as('adam', sql`select paused_reason from holdfast.automations where id = ${id}`)).toEqual([
      { paused_reason: 'automation.field' },
    ])
  })
})

describe('bounds', () => {
  test('an automation does not start itself for the same record', async () => {
    await start({ when: { kind: 'changed', table: 'jobs' }, do: [{ kind: 'update', set: { title: '{title}!' } }] })
    const id = await addJob({ title: 'x' })
    await given.world.as('edda', sql`update public.jobs set n = 1 where id = ${id}`)
    await given.worker.settled()
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
    await given.worker.settled()
    expect(await tasks()).toEqual(['t', 'tjt', 'tjtjt'].map((title) => ({ title, due_on: null })))
    expect((await runs()).filter(({ state }) => state === 'skipped')).toMatchObject([{ reason: 'chain', skipped: 1 }])
  })

  test('a storm of changes is cut: what waits is bounded, the automation stops, and the rest is counted', async () => {
    await limit({ waiting: 20, 'runs of an automation in an hour': 5 })
    await start({ when: ADDED, do: [{ kind: 'notify', to: ['admins'], text: '{title}' }] })
    await given.world.as(
      'edda',
      sql`insert into public.jobs (title) select 'Row ' || n from generate_series(1, 10000) n`,
    )
    expect(await waiting()).toBe(21)
    await given.worker.settled()
    const all = await runs()
    expect(all.filter(({ state }) => state === 'done')).toHaveLength(5)
    expect(all.filter(({ state }) => state === 'failed')).toMatchObject([{ reason: 'automation.too_many' }])
    expect(all.reduce((sum, { skipped }) => sum + Number(skipped), 0)).toBe(10_000 - 6)
    expect(await given.world.as('adam', sql`select is_on, paused_reason from holdfast.automations`)).toEqual([
      { is_on: false, paused_reason: 'automation.too_many' },
    ])
    expect(await waiting()).toBe(0)
  })

  test('notices above the limit are merged into the latest', async () => {
    await limit({ 'notices of an automation to a user in an hour': 2 })
    await start({ when: ADDED, do: [{ kind: 'notify', to: ['admins'], text: '{title}' }] })
    for (let n = 0; n < 5; n++) await addJob({ title: `Row ${n}` })
    await given.worker.settled()
    expect(await given.world.as('adam', sql`select body, more from holdfast.notices order by body`)).toEqual([
      { body: 'Row 0', more: 0 },
      { body: 'Row 1', more: 3 },
    ])
  })

  test('a table without an automation has no trigger', async () => {
    const triggers = (): Promise<readonly unknown[]> =>
      given.world.database.pool.query(sql`select tgname from pg_trigger where tgname like 'holdfast_automations%'`)
    expect(await triggers()).toEqual([])
    const id = await start({ when: ADDED, do: [{ kind: 'update', set: { n: '1' } }] })
    expect(await triggers()).toEqual([{ tgname: 'holdfast_automations_added' }])
    await given.world.as('adam', sql`select holdfast.switch_automation(${id}, false)`)
    expect(await triggers()).toEqual([])
  })
})

describe('a server that dies in the middle of a run', () => {
  const LOCK = 4242
  const create: AutomationConfig = { when: ADDED, do: [{ kind: 'create', table: 'tasks', set: { title: 'Once' } }] }
  const isBlocked = async (): Promise<number | undefined> => {
    const [row] = await given.world.database.pool.query<{ pid: number }>(
      sql`select pid from pg_locks where locktype = 'advisory' and not granted and objid = ${LOCK}`,
    )
    return row?.pid
  }
  beforeAll(() =>
    given.world.projectPool.execute(
      sql.trusted(`
      create function public.wait_here() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock_shared(${LOCK}); return null; end';
      create trigger wait_here after insert on public.tasks for each row execute function public.wait_here();`),
    ),
  )

  /** Blocks a run after its insert, does something to it, and lets it go on. */
  async function interrupt(act: (pid: number) => Promise<unknown>): Promise<void> {
    await given.world.database.pool.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`)
      await addJob({ title: 'Pump' })
      given.worker.wake()
      await expect.poll(isBlocked, { timeout: 5_000 }).toBeTypeOf('number')
      await act((await isBlocked()) ?? 0)
    })
  }

  test.each<[string, (pid: number) => Promise<unknown>]>([
    ['its connection is lost', (pid) => given.world.database.pool.execute(sql`select pg_terminate_backend(${pid})`)],
    [
      'another server has taken the run over',
      () => given.world.database.pool.execute(sql`update holdfast.automation_events set claim = gen_random_uuid()`),
    ],
  ])('has the effects once, when %s', async (_title, act) => {
    await start(create)
    await interrupt(act)
    await expect
      .poll(
        async () => {
          await given.world.database.pool.execute(
            sql`update holdfast.automation_events set due_at = now() where claim is not null and due_at > now()`,
          )
          await given.worker.settled()
          return runs()
        },
        { timeout: 5_000 },
      )
      .toHaveLength(1)
    expect(await tasks()).toEqual([{ title: 'Once', due_on: null }])
    expect(await runs()).toMatchObject([{ state: 'done' }])
  })
})
