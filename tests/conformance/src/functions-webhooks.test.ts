import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openFunctionsWorld, type FunctionsWorld } from '@holdfast/test-support'

// Triggers, SQL and scheduled jobs that call edge functions, as in Supabase's documentation.

const FILES = {
  'config.toml': '[functions.hook]\nverify_jwt = false\n',
  'functions/hook/index.ts': `
Deno.serve(async (request) => {
  const { type, record } = await request.json()
  return Response.json({ type, name: record.name, path: new URL(request.url).pathname, key: request.headers.get('x-key') }, { status: 201 })
})`,
  'functions/guarded/index.ts': `
Deno.serve(async (request) => new Response(await request.text()))`,
}

let world: FunctionsWorld
beforeAll(async () => {
  world = await openFunctionsWorld(FILES)
})
afterAll(() => world[Symbol.asyncDispose]())

async function responseTo(id: string | undefined): Promise<unknown> {
  const [row] = await world.holdfast.admin.query(
    sql`select status_code, content::text, error_msg from net._http_response where id = ${id ?? '0'}::bigint`,
  )
  return row
}

describe('requests from the database', () => {
  test('a migration may create the pg_net extension', async () => {
    const { admin } = world.holdfast
    await admin.execute(sql`create extension if not exists pg_net with schema extensions`)
    await admin.execute(sql`create extension if not exists pg_net`)
    expect(await admin.query(sql`select extname from pg_extension where extname = 'pg_net'`)).toHaveLength(1)
    await admin.execute(sql`drop extension pg_net`)
    expect(await admin.query(sql`select to_regprocedure('net.wake()') is not null as there`)).toEqual([{ there: true }])
  })

  test('a trigger with supabase_functions.http_request posts rows to an edge function and stores the response in net._http_response', async () => {
    const { admin } = world.holdfast
    const url = world.url('hook/path')
    await admin.execute(sql`create table public.findings (id int primary key, name text)`)
    await admin.execute(sql`
      create trigger alert after insert on public.findings for each row
        execute function supabase_functions.http_request(${sql.trusted(`'${url}'`)}, 'POST', '{"Content-Type":"application/json","X-Key":"k"}', '{}', '5000')`)
    await admin.execute(sql`insert into public.findings values (1, 'leak')`)
    const answer = async (): Promise<unknown> => {
      const [row] = await admin.query<{ id: string }>(sql`select request_id::text as id from supabase_functions.hooks`)
      return responseTo(row?.id)
    }
    await expect.poll(answer).toMatchObject({ status_code: 201 })
    const { content } = (await answer()) as { readonly content: string }
    expect(JSON.parse(content)).toEqual({ type: 'INSERT', name: 'leak', path: '/hook/path', key: 'k' })
  })

  test('net.http_post calls a function with a key of the project', async () => {
    const headers = JSON.stringify({
      Authorization: `Bearer ${world.holdfast.anonKey}`,
      'Content-Type': 'application/json',
    })
    const [row] = await world.holdfast.admin.query<{ id: string }>(sql`
      select net.http_post(url := ${world.url('guarded')}, headers := ${headers}::jsonb, body := '{"n": 1}')::text as id`)
    await expect.poll(() => responseTo(row?.id)).toEqual({ status_code: 200, content: '{"n": 1}', error_msg: null })
  })

  test('a call without a key gets 401 and is not retried', async () => {
    const [row] = await world.holdfast.admin.query<{ id: string }>(
      sql`select net.http_post(url := ${world.url('guarded')})::text as id`,
    )
    await expect.poll(() => responseTo(row?.id)).toMatchObject({ status_code: 401 })
    expect(await world.holdfast.admin.query(sql`select id from net.http_request_queue`)).toEqual([])
  })

  test('private addresses are refused, including the database', async () => {
    const { port } = new URL(world.holdfast.databaseUrl)
    const [row] = await world.holdfast.admin.query<{ id: string }>(
      sql`select net.http_get(${`http://127.0.0.1:${port}/`})::text as id`,
    )
    await expect
      .poll(() => responseTo(row?.id))
      .toMatchObject({ status_code: null, error_msg: expect.stringContaining('is not a public address') })
  })

  test("the server's mailbox is closed to them, whatever headers and host names they use", async () => {
    const forged = {
      'Sec-Fetch-Site': 'none',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
      Via: '',
    }
    const { port } = new URL(world.holdfast.url)
    for (const host of ['127.0.0.1', 'localhost', '[::1]', 'host.docker.internal']) {
      const [row] = await world.holdfast.admin.query<{ id: string }>(sql`
        select net.http_get(url := ${`http://${host}:${port}/mailbox`}, headers := ${JSON.stringify(forged)}::jsonb)::text as id`)
      await expect.poll(() => responseTo(row?.id)).toMatchObject({ status_code: 401 })
    }
  })

  test('the API does not serve the schema net', async () => {
    const client = await world.holdfast.supabase()
    const { error } = await client.schema('net').rpc('http_get', { url: 'https://public.example' })
    expect(error?.code).toBe('PGRST106')
  })
})

describe('scheduled jobs', () => {
  test('a migration may create the pg_cron extension and grant the documented privileges', async () => {
    const { admin } = world.holdfast
    for (let count = 0; count < 2; count++)
      await admin.execute(sql`create extension if not exists pg_cron with schema pg_catalog`)
    await admin.execute(sql`grant usage on schema cron to postgres`)
    await admin.execute(sql`grant all privileges on all tables in schema cron to postgres`)
    expect(await admin.query(sql`select extname from pg_extension where extname = 'pg_cron'`)).toHaveLength(1)
  })

  test('call a function every second until unscheduled, and record each run', async () => {
    const { admin, anonKey } = world.holdfast
    const headers = JSON.stringify({ Authorization: `Bearer ${anonKey}`, 'Content-Type': 'application/json' })
    const command = `select net.http_post('${world.url('guarded')}', '{"job": true}', headers := '${headers}')`
    const [job] = await admin.query<{ id: string }>(
      sql`select cron.schedule('call', '1 seconds', ${command})::text as id`,
    )
    await expect
      .poll(() =>
        admin.query(sql`select content::text, status_code from net._http_response where content like '%job%'`),
      )
      .toContainEqual({ content: '{"job": true}', status_code: 200 })
    await expect
      .poll(() =>
        admin.query(sql`
          select status, return_message, username from cron.job_run_details where jobid = ${job?.id}::bigint and end_time is not null`),
      )
      .toContainEqual({ status: 'succeeded', return_message: '1 row', username: 'postgres' })
    expect(await admin.query(sql`select cron.unschedule('call')`)).toEqual([{ unschedule: true }])
    expect(await admin.query(sql`select jobid from cron.job`)).toEqual([])
  })

  test('are refused over the API', async () => {
    const client = await world.holdfast.supabase()
    const { error } = await client.schema('cron').rpc('schedule', { schedule: '* * * * *', command: 'select 1' })
    expect(error?.code).toBe('PGRST106')
  })
})
