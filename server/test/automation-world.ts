import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import type { AutomationConfig } from '@holdfast/protocol'
import { createPool, type Pool, sharePool, sql } from '@holdfast/postgres'
import { openAutomations } from '../src/automations/automations.ts'
import { openAccessWorld, type AccessWorld, type UserName } from './access-world.ts'

export const ADDED = { kind: 'added', table: 'jobs' } as const

const TASKS = JSON.stringify({
  name: 'tasks',
  label: 'Tasks',
  fields: [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'due_on', label: 'Due on', kind: 'date' },
  ],
  access: { kind: 'members' },
})

/** The access world with a second table, `tasks`, and the worker that runs automations. Registers the hooks of a test file. */
export function useAutomationWorld() {
  let world: AccessWorld
  let pool: Pool
  let worker: ReturnType<typeof openAutomations>

  beforeAll(async () => {
    world = await openAccessWorld()
    pool = createPool({ url: world.database.projectUrl, applicationName: 'test automations', connectionsMax: 2 })
    await world.as('adam', sql`select holdfast.create_table(${world.workspace}, ${TASKS}::jsonb)`)
    worker = openWorker(world, pool)
  })
  afterAll(async () => {
    await worker[Symbol.asyncDispose]()
    await pool[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await world.database.pool.execute(sql`delete from holdfast.automation_events`)
    await world.database.pool.execute(sql`delete from holdfast.automations`)
    await world.database.pool.execute(sql`truncate public.jobs, public.tasks cascade`)
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

  const limit = (limits?: Readonly<Record<string, number>>): Promise<void> => setLimits(world, limits)

  return {
    get world() {
      return world
    },
    get worker() {
      return worker
    },
    save,
    start,
    addJob,
    job,
    runs,
    tasks,
    waiting,
    limit,
  }
}

function openWorker({ database }: AccessWorld, pool: Pool): ReturnType<typeof openAutomations> {
  const shared = sharePool(database.requestPool, { connectionsMax: 2, shares: { all: { reserved: 0, max: 2 } } })
  return openAutomations({
    pool,
    share: shared.share('all'),
    claimsOf: async (userId) => {
      const [user] = await database.pool.query(sql`select from auth.users where id = ${userId}`)
      return user ? ({ role: 'authenticated', sub: userId } as never) : undefined
    },
    logger: silentLogger,
  })
}

let original: string | undefined

/** Lowers limits for a test, or restores them. */
async function setLimits({ database }: AccessWorld, limits: Readonly<Record<string, number>> = {}): Promise<void> {
  const [row] = await database.pool.query<{ text: string }>(
    sql`select pg_get_functiondef('holdfast.automation_limit(text)'::regprocedure) as text`,
  )
  original ??= row?.text
  const changed = Object.entries(limits).reduce(
    (text, [name, value]) => text.replace(new RegExp(`(when '${name}' then )\\d+`), `$1${value}`),
    original ?? '',
  )
  await database.pool.execute(sql.trusted(changed))
}
