import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import {
  findPostgresInstallations,
  openForeignPostgres,
  openFunctionsWorld,
  openPackageServer,
  type ForeignPostgres,
  type FunctionsWorld,
  type PackageServer,
} from '@holdfast/test-support'

/*
 * Functions, and what the database calls, on a Postgres that Holdfast does not run: a server of another installation, whose user DATABASE_URL names. It needs
 * what this machine may not have, so the tests run on every installation that is found.
 */

const FILES = {
  'config.toml': '[functions.sql]\nverify_jwt = false\n',
  'functions/sql/index.ts': `
import pg from 'npm:pg@8'
const pool = new pg.Pool({ connectionString: Deno.env.get('SUPABASE_DB_URL'), max: 2 })
Deno.serve(async (request) => {
  const { query } = await request.json()
  try {
    return Response.json((await pool.query(query)).rows)
  } catch (error) {
    return Response.json({ code: error.code }, { status: 400 })
  }
})`,
}

const installations = findPostgresInstallations()

describe.skipIf(installations.length > 0)('functions on an external Postgres', () => {
  test.skip('are not tried: no Postgres 15 or newer in /usr/lib/postgresql or HOLDFAST_POSTGRES_BIN', () => undefined)
})

describe.each(installations)('on an external Postgres $major', (installation) => {
  let packages: PackageServer
  let server: ForeignPostgres
  let world: FunctionsWorld

  beforeAll(async () => {
    packages = await openPackageServer({})
    for (const [name, value] of Object.entries(packages.environment)) {
      vi.stubEnv(name, value)
      vi.stubEnv(name.toLowerCase(), undefined)
    }
    server = await openForeignPostgres(installation)
    world = await openFunctionsWorld(FILES, [`--database-url=${server.url}`])
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await world?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await packages?.[Symbol.asyncDispose]()
  })

  async function run(query: string): Promise<unknown> {
    const answer = await fetch(world.url('sql'), { method: 'POST', body: JSON.stringify({ query }) })
    return await answer.json()
  }

  test('functions connect as a role of their own, that reads past policies and is no superuser', async () => {
    const { admin, log } = world.holdfast
    await admin.execute(sql`create table public.readings (litres int)`)
    await admin.execute(sql`alter table public.readings enable row level security`)
    expect(await run('insert into readings values (4) returning litres'), log()).toEqual([{ litres: 4 }])
    expect(await run('select current_user, rolsuper from pg_roles where rolname = session_user')).toEqual([
      { current_user: 'holdfast_functions', rolsuper: false },
    ])
    expect(await run('select * from holdfast.login_passwords')).toEqual({ code: '42501' })
    expect(await run('set role postgres')).toEqual({ code: '42501' })
  })

  test('webhooks call them', async () => {
    const { admin } = world.holdfast
    const body = JSON.stringify({ query: 'select count(*)::int as readings from readings' })
    const [row] = await admin.query<{ id: string }>(
      sql`select net.http_post(${world.url('sql')}, ${body}::jsonb)::text as id`,
    )
    await expect
      .poll(() =>
        admin.query(sql`select content::text, status_code from net._http_response where id = ${row?.id}::bigint`),
      )
      .toEqual([{ content: '[{"readings":1}]', status_code: 200 }])
  })

  test('jobs run as the user of DATABASE_URL', async () => {
    const { admin } = world.holdfast
    await admin.execute(sql`select cron.schedule('count', '1 second', 'select * from public.readings')`)
    await expect
      .poll(() =>
        admin.query(
          sql`select status, return_message, username from cron.job_run_details where end_time is not null limit 1`,
        ),
      )
      .toEqual([{ status: 'succeeded', return_message: '1 row', username: 'postgres' }])
    await admin.execute(sql`select cron.unschedule('count')`)
  })
})
