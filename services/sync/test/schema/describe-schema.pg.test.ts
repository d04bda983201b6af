import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SyncPlan } from '@holdfast/policy'
import { sql } from '@holdfast/postgres'
import { SCHEMA_PATH, type SchemaDescriptor } from '@holdfast/protocol'
import { openTestDatabase } from '@holdfast/test-support'
import { schemaRoutes } from '../../src/routes/schema.ts'
import { syncMigrations } from '../../src/sync.ts'

const SCHEMA = `
  create type public.task_state as enum ('open', 'done');
  create domain public.code as varchar(8);
  create table public.sites (id uuid primary key, name text not null);
  create table public.tasks (
    id uuid primary key, title text not null default 'new', state public.task_state, points integer, ratio real, cost numeric(6,2),
    urgent boolean, due_on date, code public.code unique, photo bytea, secret text, tags text[],
    site_id uuid references public.sites (id), shout text generated always as (upper(title)) stored,
    kind text check (kind in ('pump', 'gate valve')), level varchar(9) check (level in ('low', 'high') or level is null),
    free text check (length(free) < 100)
  );
  comment on table public.tasks is 'What has to be done.';
  comment on column public.tasks.due_on is 'Until when.';
  revoke all on public.tasks, public.sites from anon, authenticated;
  grant select, insert on public.sites to authenticated;
  grant select (id, title, state, points, ratio, cost, urgent, due_on, code, photo, tags, site_id, shout, kind, level, free), update (title) on public.tasks to authenticated;
`

let database: Awaited<ReturnType<typeof openTestDatabase>>
const app = fastify()

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [syncMigrations] })
  await database.pool.withClient((client) => client.query(SCHEMA))
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request) => {
    const role = String(request.headers['x-role'])
    request.caller = { role, claims: { role }, userId: undefined, expiresAtS: undefined }
  })
  await app.register(schemaRoutes({ share: { for: () => database.requestPool }, compress: false, plan: () => plan }))
})

afterAll(async () => {
  await app.close()
  await database?.[Symbol.asyncDispose]()
})

const plan = {
  tables: ['sites', 'tasks', 'gone'].map((name) => ({
    schema: 'public',
    name,
    localName: name,
    key: { columns: ['id'], deferrable: false },
    columns: [],
  })),
} as unknown as SyncPlan

async function get(
  role: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; etag: unknown; schema: SchemaDescriptor }> {
  const response = await app.inject({ url: SCHEMA_PATH, headers: { ...headers, 'x-role': role } })
  const schema = response.body ? (response.json() as SchemaDescriptor) : { version: '', tables: [] }
  return { status: response.statusCode, etag: response.headers['etag'], schema }
}

describe('the schema of a device', () => {
  test('has the columns that the role may select, with their local types', async () => {
    const { schema } = await get('authenticated')
    const tasks = schema.tables.find((table) => table.name === 'tasks')
    expect(tasks?.columns.map((column) => [column.name, column.local])).toEqual([
      ['id', 'text'],
      ['title', 'text'],
      ['state', 'text'],
      ['points', 'integer'],
      ['ratio', 'real'],
      ['cost', 'text'],
      ['urgent', 'integer'],
      ['due_on', 'text'],
      ['code', 'text'],
      ['photo', 'text'],
      ['tags', 'text'],
      ['site_id', 'text'],
      ['shout', 'text'],
      ['kind', 'text'],
      ['level', 'text'],
      ['free', 'text'],
    ])
    expect(tasks).toMatchObject({
      comment: 'What has to be done.',
      can: { insert: false, update: true, delete: false },
    })
    expect(tasks?.indexes).toEqual([['state'], ['due_on'], ['site_id']])
  })

  test('describes choices, links, types, defaults and comments', async () => {
    const { schema } = await get('authenticated')
    const column = (name: string): unknown =>
      schema.tables.find((table) => table.name === 'tasks')?.columns.find((entry) => entry.name === name)
    expect(column('state')).toMatchObject({ choices: ['open', 'done'], nullable: true, type: 'task_state' })
    expect(column('site_id')).toMatchObject({ references: { table: 'sites', column: 'id' } })
    expect(column('cost')).toMatchObject({ type: 'numeric(6,2)' })
    expect(column('title')).toMatchObject({ nullable: false, hasDefault: true, generated: false })
    expect(column('shout')).toMatchObject({ generated: true })
    expect(column('due_on')).toMatchObject({ comment: 'Until when.' })
    expect(column('code')).toMatchObject({ unique: true })
    expect(column('title')).not.toHaveProperty('unique')
  })

  test('has the choices that a CHECK lists, as it is now, without waiting for a table that is locked', async () => {
    const choices = async (): Promise<unknown> => {
      const tasks = (await get('authenticated')).schema.tables.find((table) => table.name === 'tasks')
      return ['kind', 'level', 'free'].map((name) => tasks?.columns.find((column) => column.name === name)?.choices)
    }
    expect(await choices()).toEqual([['pump', 'gate valve'], ['low', 'high'], undefined])
    await database.pool.transaction(async (tx) => {
      await tx.query(sql`alter table public.tasks add constraint free_list check (free = 'a' or free = 'b')`)
      expect(await choices()).toEqual([['pump', 'gate valve'], ['low', 'high'], undefined])
    })
    expect(await choices()).toEqual([
      ['pump', 'gate valve'],
      ['low', 'high'],
      ['a', 'b'],
    ])
    await database.pool.withClient((client) => client.query('alter table public.tasks drop constraint free_list'))
    expect(await choices()).toEqual([['pump', 'gate valve'], ['low', 'high'], undefined])
  })

  test('is answered while a table with choices is dropped', async () => {
    const run = (text: string): Promise<unknown> => database.pool.withClient((client) => client.query(text))
    await run(`create table public.gone (id uuid primary key, kind text check (kind in ('a', 'b')));
      grant select on public.gone to authenticated`)
    let answer: ReturnType<typeof get> | undefined
    await database.pool.transaction(async (tx) => {
      await tx.query(sql`drop table public.gone`)
      answer = get('authenticated')
      const isWaiting = async (): Promise<boolean> =>
        (await tx.query(sql`select from pg_locks where not granted`)).length > 0
      while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 1))
    })
    expect((await answer)?.status).toBe(200)
  })

  test('says which columns are guarded: those that say where a record stands, until a migration says otherwise', async () => {
    const guards = async (): Promise<unknown> => {
      const tasks = (await get('authenticated')).schema.tables.find((table) => table.name === 'tasks')
      return Object.fromEntries(tasks?.columns.flatMap(({ name, guard }) => (guard ? [[name, guard]] : [])) ?? [])
    }
    const say = (text: string): Promise<unknown> => database.pool.withClient((client) => client.query(text))
    expect(await guards()).toEqual({ state: 'column' })
    await say(`select sync.guard_columns('public.tasks', '{title,points}')`)
    expect(await guards()).toEqual({ title: 'column', points: 'column' })
    await say(`select sync.guard_rows('public.tasks', '{points}')`)
    expect(await guards()).toEqual({ title: 'column', points: 'row' })
    await say(`select sync.guard_rows('public.tasks')`)
    const all = (await guards()) as Record<string, string>
    expect(Object.keys(all)).not.toContain('shout') // generated
    expect(new Set(Object.values(all))).toEqual(new Set(['row']))
    await say(`select sync.guard_rows('public.tasks', '{}'), sync.guard_columns('public.tasks', '{}')`)
    expect(await guards()).toEqual({})
  })

  test('has no table of which the role may select nothing', async () => {
    expect((await get('anon')).schema.tables).toEqual([])
  })

  test('has a version that changes with it and is revalidated', async () => {
    const first = await get('authenticated')
    expect(first.etag).toBe(`"${first.schema.version}"`)
    expect((await get('authenticated', { 'if-none-match': String(first.etag) })).status).toBe(304)
    await database.pool.withClient((client) => client.query('grant select (secret) on public.tasks to authenticated'))
    const second = await get('authenticated', { 'if-none-match': String(first.etag) })
    expect(second.status).toBe(200)
    expect(second.schema.version).not.toBe(first.schema.version)
  })
})
