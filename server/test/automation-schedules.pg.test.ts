import { describe, expect, test } from 'vitest'
import type { AutomationConfig, AutomationSchedule } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { useAutomationWorld } from './automation-world.ts'

// Automations that start by the clock: when, how often, and for which records.

const given = useAutomationWorld()
const { save, start, addJob, runs, tasks, limit } = given

const DAILY: AutomationSchedule = { kind: 'schedule', table: 'jobs', every: 'day', at: '08:00', for: 'each' }
const setClock = (moment: string): Promise<unknown> =>
  given.world.database.pool.execute(sql`update holdfast.automation_clocks set next_at = ${moment}::timestamptz`)
const anHourAgo = (): string => new Date(Date.now() - 3_600_000).toISOString()
const isClockAhead = async (): Promise<boolean | undefined> =>
  (
    await given.world.database.pool.query<{ ahead: boolean }>(
      sql`select next_at > now() as ahead from holdfast.automation_clocks`,
    )
  )[0]?.ahead

describe('the next time', () => {
  const next = async (trigger: object, zone: string, after: string): Promise<string | undefined> => {
    const [row] = await given.world.database.pool.query<{ at: string }>(sql`
      select to_char(holdfast.next_scheduled(${JSON.stringify(trigger)}::jsonb, ${zone}, ${after}::timestamptz) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as at`)
    return row?.at
  }
  const day = { every: 'day', at: '08:00' }
  const night = { every: 'day', at: '02:30' }
  const month = (number: number): object => ({ every: 'month', at: '08:00', day: number })

  test.each([
    ['today', day, 'Europe/Berlin', '2026-03-10T06:00Z', '2026-03-10T07:00'],
    ['tomorrow, when the time has come', day, 'Europe/Berlin', '2026-03-10T07:00Z', '2026-03-11T07:00'],
    [
      'at the same local time after the clock is set forward',
      day,
      'Europe/Berlin',
      '2026-03-28T07:00Z',
      '2026-03-29T06:00',
    ],
    ['at the same local time after it is set back', day, 'Europe/Berlin', '2026-10-24T06:00Z', '2026-10-25T07:00'],
    ['an hour later, when the clock skips it', night, 'Europe/Berlin', '2026-03-28T23:30Z', '2026-03-29T01:30'],
    ['the next day, after a skipped time', night, 'Europe/Berlin', '2026-03-29T01:30Z', '2026-03-30T00:30'],
    ['once, when the clock shows it twice', night, 'Europe/Berlin', '2026-10-24T23:30Z', '2026-10-25T01:30'],
    ['not again, when the clock has shown it twice', night, 'Europe/Berlin', '2026-10-25T01:30Z', '2026-10-26T01:30'],
    ['by a zone of half an hour', day, 'Australia/Lord_Howe', '2026-04-04T20:00Z', '2026-04-04T21:30'],
    ['on a weekday', { every: 'week', at: '08:00', weekdays: [1, 5] }, 'UTC', '2026-03-10T09:00Z', '2026-03-13T08:00'],
    [
      'on a weekday of the next week',
      { every: 'week', at: '08:00', weekdays: [1] },
      'UTC',
      '2026-03-09T08:00Z',
      '2026-03-16T08:00',
    ],
    ['on a day of the month', month(15), 'UTC', '2026-03-15T08:00Z', '2026-04-15T08:00'],
    ['on the last day of a short month', month(31), 'UTC', '2026-01-31T08:00Z', '2026-02-28T08:00'],
    ['on the last day of a leap February', month(30), 'UTC', '2028-02-01T08:00Z', '2028-02-29T08:00'],
  ])('is %s', async (_title, trigger, zone, after, expected) => {
    expect(await next(trigger, zone, after)).toBe(expected)
  })

  test('follows the time zone of the workspace', async () => {
    await start({ when: DAILY, do: [{ kind: 'update', set: { n: '1' } }] })
    const clock = async (): Promise<string | undefined> =>
      (
        await given.world.database.pool.query<{ at: string }>(
          sql`select to_char(next_at at time zone 'UTC', 'HH24:MI') as at from holdfast.automation_clocks`,
        )
      )[0]?.at
    const zone = (name: string): Promise<unknown> =>
      given.world.database.pool.execute(sql`update holdfast.workspaces set time_zone = ${name}`)
    await zone('Asia/Kathmandu')
    expect(await clock()).toBe('02:15')
    await zone('UTC')
    expect(await clock()).toBe('08:00')
  })
})

describe('a schedule', () => {
  const marks: AutomationConfig = {
    when: DAILY,
    if: [{ field: 'state', is: 'one_of', values: ['open'] }],
    do: [{ kind: 'create', table: 'tasks', set: { title: '{title}' } }],
  }

  test('runs for each record that meets the conditions, once for each time, also after a long stop', async () => {
    await start(marks)
    await addJob({ title: 'A', state: 'open' })
    await addJob({ title: 'B', state: 'open' })
    await addJob({ title: 'Done', state: 'done' })
    await setClock('2020-01-01T08:00Z')
    await given.worker.settled()
    await given.worker.settled()
    expect(await tasks()).toMatchObject([{ title: 'A' }, { title: 'B' }])
    expect(await runs()).toMatchObject([0, 1].map(() => ({ state: 'done', cause: 'schedule' })))
    expect(await isClockAhead()).toBe(true)
    await setClock(anHourAgo())
    await given.worker.settled()
    expect(await tasks()).toHaveLength(4)
  })

  test('due in the skipped or the repeated hour of a clock change runs once, and its next time is at the same local time', async () => {
    const zone = 'Europe/Berlin'
    await given.world.database.pool.execute(sql`update holdfast.workspaces set time_zone = ${zone}`)
    await start({ ...marks, when: { ...DAILY, at: '02:30' } })
    await addJob({ title: 'A', state: 'open' })
    for (const [n, moment] of ['2025-03-30T01:30Z', '2025-10-26T01:30Z'].entries()) {
      await setClock(moment)
      await given.worker.settled()
      await given.worker.settled()
      expect(await tasks()).toHaveLength(n + 1)
      expect((await runs()).map(({ state, cause }) => [state, cause])).toEqual(
        Array.from({ length: n + 1 }, () => ['done', 'schedule']),
      )
      const [next] = await given.world.database.pool.query(sql`
        select to_char(next_at at time zone ${zone}, 'HH24:MI') as at, next_at > now() as ahead from holdfast.automation_clocks`)
      expect(next).toEqual({ at: '02:30', ahead: true })
    }
    await given.world.database.pool.execute(sql`update holdfast.workspaces set time_zone = 'UTC'`)
  })

  test('starts once when two servers look at the same moment', async () => {
    await start({
      ...marks,
      when: { ...DAILY, for: 'once' },
      do: [{ kind: 'create', table: 'tasks', set: { title: '{count} open' } }],
    })
    await addJob({ title: 'A', state: 'open' })
    await addJob({ title: 'B', state: 'open' })
    await setClock(anHourAgo())
    const look = (): Promise<unknown> => given.world.database.pool.execute(sql`select holdfast.start_due_automations()`)
    await Promise.all([look(), look(), look(), given.worker.settled()])
    await given.worker.settled()
    expect(await tasks()).toEqual([{ title: '2 open', due_on: null }])
    expect(await runs()).toMatchObject([{ state: 'done', cause: 'schedule' }])
  })

  test.each(['each', 'once'] as const)(
    'for %s without matching records says that there was nothing to do',
    async (kind) => {
      await start({
        ...marks,
        when: { ...DAILY, for: kind },
        do: [{ kind: 'create', table: 'tasks', set: { title: 'x' } }],
      })
      await setClock(anHourAgo())
      await given.worker.settled()
      expect(await runs()).toMatchObject([{ state: 'done', reason: 'nothing' }])
      expect(await tasks()).toEqual([])
    },
  )

  test('is bounded: further records are counted as skipped', async () => {
    await limit({ 'records of a schedule': 3 })
    await start({ when: DAILY, do: [{ kind: 'update', set: { n: '1' } }] })
    await given.world.as('edda', sql`insert into public.jobs (title) select 'Row ' || n from generate_series(1, 405) n`)
    await setClock(anHourAgo())
    await given.worker.settled()
    const all = await runs()
    expect(all.filter(({ state }) => state === 'done')).toHaveLength(3)
    expect(all.filter(({ state }) => state === 'skipped')).toMatchObject([{ reason: 'full', skipped: 402 }])
  })

  test('of a user who has lost the rights runs nothing', async () => {
    await start(marks)
    await addJob({ title: 'A', state: 'open' })
    await given.world.database.pool.execute(sql`update holdfast.automations set runs_as = ${crypto.randomUUID()}`)
    await setClock(anHourAgo())
    await given.worker.settled()
    expect(await runs()).toMatchObject([{ state: 'failed', reason: 'automation.no_account' }])
  })

  test('of a later plan replaces the clock, and switching off removes it', async () => {
    const id = await start(marks)
    expect(await isClockAhead()).toBe(true)
    await given.world.as('adam', sql`select holdfast.switch_automation(${id}, false)`)
    expect(await isClockAhead()).toBeUndefined()
  })

  test('that runs once can be repeated', async () => {
    await start({
      when: { ...DAILY, for: 'once' },
      do: [{ kind: 'notify', to: ['admins'], text: '{count} jobs on {today}' }],
    })
    await setClock(anHourAgo())
    await given.worker.settled()
    const [run] = await given.world.database.pool.query<{ id: string }>(sql`select id from holdfast.automation_runs`)
    await given.world.as('adam', sql`select holdfast.run_automation_again(${run?.id})`)
    await given.worker.settled()
    expect(await runs()).toMatchObject([{ cause: 'schedule' }, { state: 'done', cause: 'again' }])
  })

  test.each([
    ['no time', { at: '25:00' }],
    ['no days of the week', { every: 'week' }],
    ['an eighth weekday', { every: 'week', weekdays: [8] }],
    ['no day of the month', { every: 'month' }],
    ['a day 32', { every: 'month', day: 32 }],
    ['an unknown part', { minute: 5 }],
  ])('with %s is refused', async (_title, part) => {
    await expect(save({ ...marks, when: { ...DAILY, ...part } })).rejects.toMatchObject({ hint: 'automation.when' })
  })

  test.each([
    ['a field in a text', { kind: 'notify', to: ['admins'], text: '{title}' }, 'automation.placeholder'],
    ['a step that updates the record', { kind: 'update', set: { n: '1' } }, 'automation.do'],
    ['who added the record', { kind: 'notify', to: ['creator'], text: 'x' }, 'automation.recipients'],
  ])('that runs once has no record: %s is refused', async (_title, step, hint) => {
    await expect(save({ when: { ...DAILY, for: 'once' }, do: [step] })).rejects.toMatchObject({ hint })
  })
})
