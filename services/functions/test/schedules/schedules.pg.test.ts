import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { scheduleMigrations } from '../../src/migrations.ts'
import { openSchedules } from '../../src/schedules/schedules.ts'

// Jobs run when they are due, once, as the user who scheduled them, and what came of them can be read. No minute is waited for: the last one that was looked at is
// put back, to before the one in which the test began.

type Worker = ReturnType<typeof openSchedules>
const open: Worker[] = []
let db: TestDatabase
let project: Pool

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [scheduleMigrations] })
  project = createPool({ url: db.projectUrl, applicationName: 'test project', connectionsMax: 4 })
  await project.execute(sql`create table public.log (at timestamptz default clock_timestamp(), note text)`)
})
beforeEach(() => db.pool.execute(sql`insert into cron.holdfast_runner values ('postgres') on conflict do nothing`))
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one[Symbol.asyncDispose]()))
  await db.pool.execute(sql`delete from cron.job`)
  await db.pool.execute(sql`truncate cron.job_run_details, public.log`)
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

function start(given: { readonly runs?: number; readonly pool?: Pool } = {}): Worker {
  const schedules = openSchedules({
    pool: given.pool ?? db.pool,
    userUrl: db.projectUrl,
    options: {
      schedulesEnabled: true,
      schedulesRunsMax: given.runs ?? 5,
      schedulesRunMinutesMax: 60,
      schedulesDetailsKeptDays: 30,
    },
    logger: silentLogger,
  })
  open.push(schedules)
  schedules.wake()
  return schedules
}

/** Schedules a job, and wakes the servers as its notification does. */
async function schedule(text: string, command: string, name: string | null = null): Promise<string> {
  const [row] = await project.query<{ id: string }>(
    name === null
      ? sql`select cron.schedule(${text}, ${command})::text as id`
      : sql`select cron.schedule(${name}, ${text}, ${command})::text as id`,
  )
  wakeAll()
  return row?.id ?? ''
}

/** Due in the minute in which the test began, and then a day later. */
let when = ''
let minute = ''
beforeEach(async () => {
  const [row] = await db.pool.query<{ when: string; minute: string }>(sql`
    select to_char(now() at time zone 'UTC', 'FMMI FMHH24 * * *') as "when", date_trunc('minute', now())::text as minute`)
  when = row?.when ?? ''
  minute = row?.minute ?? ''
})

/** As if that minute had just come. */
async function minuteComes(): Promise<void> {
  await db.pool.execute(sql`update cron.holdfast_state set minute = ${minute}::timestamptz - interval '1 minute'`)
  wakeAll()
}

function wakeAll(): void {
  for (const one of open) one.wake()
}

interface Details {
  readonly status: string
  readonly return_message: string | null
}

/** As projects read them. */
async function details(id: string): Promise<readonly Details[]> {
  return project.query<Details>(
    sql`select status, return_message from cron.job_run_details where jobid = ${id}::bigint order by runid`,
  )
}

async function notes(): Promise<readonly string[]> {
  const rows = await project.query<{ note: string }>(sql`select note from public.log order by at`)
  return rows.map(({ note }) => note)
}

describe('a job', () => {
  test('runs when its minute has come, and its details say what it did', async () => {
    start()
    const id = await schedule(
      '* * * * *',
      `insert into public.log (note) values (session_user || ' ' || current_user), ('b')`,
    )
    await minuteComes()
    await expect.poll(() => details(id)).toEqual([{ status: 'succeeded', return_message: 'INSERT 0 2' }])
    expect(await notes()).toEqual(['postgres postgres', 'b'])
    const [row] = await project.query(
      sql`select job_pid > 0 as pid, database = current_database() as database, username, command is not null as command, start_time <= end_time as times from cron.job_run_details`,
    )
    expect(row).toEqual({ pid: true, database: true, username: 'postgres', command: true, times: true })
  })

  test('does not run for the minute in which it was scheduled, nor for those in which it was switched off', async () => {
    start()
    const id = await schedule(when, 'select 1')
    await project.execute(sql`select cron.alter_job(${id}::bigint, active := false)`)
    await minuteComes()
    await project.execute(sql`select cron.alter_job(${id}::bigint, active := true)`)
    const marker = await schedule('1 second', `insert into public.log (note) values ('marker')`)
    await expect.poll(() => details(marker).then((all) => all.length)).toBeGreaterThan(0)
    expect(await details(id)).toEqual([])
  })

  test('with seconds runs again and again, and never twice at the same time', async () => {
    start()
    const id = await schedule(
      '1 seconds',
      `select pg_sleep(1.2); insert into public.log (note) select count(*)::text from pg_stat_activity where application_name = 'pg_cron'`,
    )
    await expect.poll(() => notes().then((all) => all.length)).toBeGreaterThanOrEqual(2)
    expect(new Set(await notes())).toEqual(new Set(['1']))
    expect((await details(id))[0]).toEqual({ status: 'succeeded', return_message: 'INSERT 0 1' })
  })

  test('is begun by one of several servers', async () => {
    for (let count = 0; count < 4; count++) start()
    const ids = await Promise.all(
      [1, 2, 3].map((n) => schedule(when, `insert into public.log (note) values ('${n}')`, `job ${n}`)),
    )
    for (let round = 1; round <= 3; round++) {
      await minuteComes()
      await expect
        .poll(
          async () =>
            (await Promise.all(ids.map(details))).flat().filter(({ status }) => status === 'succeeded').length,
        )
        .toBe(round * 3)
    }
    expect([...(await notes())].toSorted()).toEqual(['1', '1', '1', '2', '2', '2', '3', '3', '3'])
  })

  test('that fails says why, and runs again', async () => {
    start()
    const id = await schedule(when, 'insert into public.log (note) values (1); select 1 / 0')
    const failure = { status: 'failed', return_message: 'ERROR:  division by zero' }
    for (const failures of [[failure], [failure, failure]]) {
      await minuteComes()
      await expect.poll(() => details(id)).toEqual(failures)
    }
    expect(await notes()).toEqual([])
  })

  test.each([
    ['select 1 union all select 2', '2 rows'],
    ['select 1', '1 row'],
    ['create table public.made_by_job ()', 'CREATE TABLE'],
    ['vacuum public.log', 'VACUUM'],
    [`select repeat('a', 100000000)`, '1 row'],
    ['copy public.log to stdout', 'COPY 0'],
  ])('%s answers %s', async (command, message) => {
    start()
    const id = await schedule(when, command)
    await minuteComes()
    await expect.poll(() => details(id)).toEqual([{ status: 'succeeded', return_message: message }])
  })

  test('that waits for rows of a client fails', async () => {
    start()
    const id = await schedule(when, 'copy public.log from stdin')
    await minuteComes()
    await expect
      .poll(() => details(id))
      .toMatchObject([{ status: 'failed', return_message: expect.stringContaining('COPY from a client') }])
  })

  test('is ended when it is unscheduled', async () => {
    start()
    const id = await schedule(when, 'select pg_sleep(1000)', 'long')
    await minuteComes()
    await expect.poll(() => details(id)).toMatchObject([{ status: 'running' }])
    expect(await project.query(sql`select cron.unschedule('long')`)).toEqual([{ unschedule: true }])
    wakeAll()
    await expect.poll(() => details(id)).toEqual([{ status: 'failed', return_message: 'job canceled' }])
    const sessions = sql`select pid from pg_stat_activity where query like '%pg_sleep(1000)' and pid <> pg_backend_pid()`
    await expect.poll(() => db.pool.query(sessions)).toEqual([])
  })

  test('is ended when the server stops', async () => {
    const schedules = start()
    const id = await schedule(when, 'select pg_sleep(1000)')
    await minuteComes()
    await expect.poll(() => details(id)).toMatchObject([{ status: 'running' }])
    await schedules[Symbol.asyncDispose]()
    expect(await details(id)).toEqual([{ status: 'failed', return_message: 'server stopped' }])
  })

  test('whose server died is marked as failed, and runs again', async () => {
    const id = await schedule(when, 'select 1')
    await db.pool.execute(sql`
      with begun as (update cron.holdfast_state set runid = nextval('cron.runid_seq'), held_until = clock_timestamp() - interval '1 s' returning jobid, runid)
      insert into cron.job_run_details (jobid, runid, username, status) select jobid, runid, 'postgres', 'running' from begun`)
    start()
    await expect.poll(() => details(id)).toEqual([{ status: 'failed', return_message: 'server restarted' }])
    await minuteComes()
    await expect.poll(() => details(id)).toMatchObject([{}, { status: 'succeeded' }])
  })

  test('that is due waits for a free place, and others are not kept from theirs', async () => {
    start({ runs: 1 })
    const first = await schedule(when, 'select pg_sleep(0.5)')
    const second = await schedule(when, 'select 2')
    await minuteComes()
    await expect
      .poll(async () => [...(await details(first)), ...(await details(second))].map(({ status }) => status))
      .toEqual(['succeeded', 'succeeded'])
  })

  test('with @reboot runs when a server starts', async () => {
    const id = await schedule('@reboot', 'select 1')
    start()
    await expect.poll(() => details(id)).toMatchObject([{ status: 'succeeded' }])
  })

  test('with @reboot runs also when Postgres failed the first time that the server looked', async () => {
    const id = await schedule('@reboot', 'select 1')
    let hasFailed = false
    const pool: Pool = Object.create(db.pool, {
      execute: {
        value: async (statement: Parameters<Pool['execute']>[0]) => {
          if (!hasFailed && statement.render().text.includes('holdfast_due')) {
            hasFailed = true
            throw new Error('the connection was lost')
          }
          return db.pool.execute(statement)
        },
      },
    })
    start({ pool })
    await expect.poll(() => hasFailed).toBe(true)
    wakeAll()
    await expect.poll(() => details(id)).toMatchObject([{ status: 'succeeded' }])
  })
})

describe('the functions of pg_cron', () => {
  test('schedule a job of a name once, and change it the next time', async () => {
    const id = await schedule('* * * * *', 'select 1', 'report')
    expect(await schedule('5 4 * * *', 'select 2', 'report')).toBe(id)
    expect(
      await project.query(sql`select schedule, command, jobname, active, username, nodename from cron.job`),
    ).toEqual([
      {
        schedule: '5 4 * * *',
        command: 'select 2',
        jobname: 'report',
        active: true,
        username: 'postgres',
        nodename: 'localhost',
      },
    ])
    await project.execute(sql`select cron.alter_job(${id}::bigint, schedule := '10 seconds', active := false)`)
    expect(await project.query(sql`select schedule, active from cron.job`)).toEqual([
      { schedule: '10 seconds', active: false },
    ])
    expect(await project.query(sql`select cron.unschedule(${id}::bigint)`)).toEqual([{ unschedule: true }])
    expect(await project.query(sql`select from cron.job`)).toEqual([])
  })

  test.each([
    [sql`select cron.unschedule(42)`, 'could not find valid entry for job 42'],
    [sql`select cron.unschedule('none')`, `could not find valid entry for job 'none'`],
    [sql`select cron.alter_job(42, active := false)`, `Job 42 does not exist or you don't own it`],
    [sql`select cron.alter_job(42)`, 'no updates specified'],
    [sql`select cron.schedule(null, '* * * * *', 'select 1')`, 'job_name can not be NULL'],
    [sql`select cron.schedule_in_database('x', '* * * * *', 'select 1', 'template1')`, 'jobs run in database'],
    [
      sql`select cron.schedule_in_database('x', '* * * * *', 'select 1', current_database(), 'supabase_admin')`,
      'must be superuser to create a job for another role',
    ],
  ])('refuse %o', async (statement, message) => {
    await expect(project.query(statement)).rejects.toThrow(message)
  })
})

describe('rights', () => {
  test('a job is the session of its user, and leads to no other one', async () => {
    start()
    const commands = [
      'reset role',
      'set role none',
      'reset session authorization',
      'set session authorization default',
    ].map(
      (one) =>
        `${one}; insert into public.log (note) select current_user || ' ' || session_user || ' ' || rolsuper from pg_roles where rolname = current_user`,
    )
    for (const [index, command] of commands.entries()) await schedule(when, command, `job ${index}`)
    const refused = await Promise.all(
      ['set role supabase_admin', 'set session authorization supabase_admin', `copy (select 1) to program 'true'`].map(
        (one) => schedule(when, one),
      ),
    )
    await minuteComes()
    await expect.poll(() => notes()).toEqual(commands.map(() => 'postgres postgres false'))
    for (const id of refused)
      await expect
        .poll(() => details(id))
        .toMatchObject([{ status: 'failed', return_message: expect.stringContaining('permission denied') }])
  })

  test('another role schedules nothing in the name of the project, whatever policies it passes', async () => {
    await db.pool.execute(sql`create role cron_other bypassrls login`)
    await db.pool.execute(sql`grant usage on schema cron to cron_other`)
    const id = await schedule('* * * * *', 'select 1', 'mine')
    const asOther = (statement: ReturnType<typeof sql>): Promise<unknown> =>
      db.pool.transaction(async (tx) => {
        await tx.execute(sql`set local role cron_other`)
        return tx.query(statement)
      })
    try {
      for (const statement of [
        sql`insert into cron.job (schedule, command, username) values ('* * * * *', 'select 1', 'postgres')`,
        sql`update cron.job set username = 'cron_other'`,
      ])
        await expect(asOther(statement)).rejects.toThrow('must be superuser')
      for (const statement of [
        sql`update cron.job set command = 'select 2'`,
        sql`delete from cron.job`,
        sql`select cron.unschedule(${id}::bigint)`,
      ])
        await expect(asOther(statement)).rejects.toThrow('belongs to another user')
      await expect(asOther(sql`select cron.unschedule('mine')`)).rejects.toThrow('could not find')
      await expect(asOther(sql`select cron.schedule('* * * * *', 'select 1')`)).rejects.toMatchObject({
        code: '0A000',
        message: 'jobs cannot run as cron_other',
      })
      await expect(asOther(sql`update cron.holdfast_state set pending = 1`)).rejects.toThrow('permission denied')
      await expect(asOther(sql`insert into cron.holdfast_runner values ('cron_other')`)).rejects.toThrow(
        'permission denied',
      )
      await expect(asOther(sql`select cron.alter_job(1, active := true)`)).rejects.toThrow('permission denied')
    } finally {
      await db.pool.execute(sql`revoke usage on schema cron from cron_other`)
      await db.pool.execute(sql`drop role cron_other`)
    }
  })

  test('API roles cannot schedule, unless the project lets them', async () => {
    const asAnon = db.pool.transaction(async (tx) => {
      await tx.execute(sql`set local role anon`)
      return tx.query(sql`select cron.schedule('* * * * *', 'select 1')`)
    })
    await expect(asAnon).rejects.toThrow('permission denied for schema cron')
  })

  test('the project may not put a trigger of its own where the superuser would run it', async () => {
    await project.execute(
      sql`create function public.mine() returns trigger language plpgsql as 'begin return new; end'`,
    )
    for (const table of ['job', 'job_run_details', 'holdfast_state'])
      await expect(
        project.execute(
          sql`create trigger mine after insert or update on cron.${sql.identifier(table)} for each row execute function public.mine()`,
        ),
      ).rejects.toThrow('permission denied')
  })
})
