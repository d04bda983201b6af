import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fastify, { type FastifyInstance } from 'fastify'
import { silentLogger } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import { createPool, sharePool, sql, type Pool } from '@holdfast/postgres'
import { UPLOAD_PATH, type UploadOperation, type UploadRequest, type UploadResponse } from '@holdfast/protocol'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { uploadRoutes } from '../../src/routes/upload.ts'
import type { JudgeContext } from '../../src/upload/judge-upload.ts'
import { RUN_OPERATIONS_MAX } from '../../src/upload/limits.ts'
import { UploadProblems } from '../../src/devices/upload-problems.ts'
import { UploadCounter } from '../../src/upload/upload-counts.ts'
import { createUploadAdmission, type UploadAdmission } from '../../src/upload/upload-admission.ts'

export const ALICE = '11111111-1111-4111-8111-111111111111'
export const BOB = '22222222-2222-4222-8222-222222222222'
export const CLIENT = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc'

const SCHEMA = `
  create type public.task_state as enum ('open', 'doing', 'done');
  create table public.sites (id uuid primary key, name text not null, frozen boolean not null default false);
  create table public.tasks (
    id uuid primary key,
    owner_id uuid not null default nullif(current_setting('request.jwt.claims', true)::jsonb ->> 'sub', '')::uuid,
    title varchar(20) not null check (title <> 'forbidden'),
    state public.task_state not null default 'open',
    points integer,
    ratio double precision,
    cost numeric(8,2),
    urgent boolean,
    tags text[],
    extra jsonb,
    due_on date,
    seen_at timestamptz,
    photo bytea,
    code text unique,
    site_id uuid references public.sites (id) deferrable initially deferred,
    shout text generated always as (upper(title)) stored
  );
  create table public.feedback (id uuid primary key, body text);
  alter table public.sites enable row level security;
  alter table public.tasks enable row level security;
  alter table public.feedback enable row level security;
  grant select, insert, update, delete on public.tasks, public.sites to authenticated, anon;
  revoke all on public.feedback from authenticated;
  grant select, insert on public.feedback to authenticated;
  create policy "sites are read by all" on public.sites for select using (true);
  create policy "sites are made by all" on public.sites for insert with check (true);
  create policy "own tasks" on public.tasks for all to authenticated
    using (owner_id = (current_setting('request.jwt.claims')::jsonb ->> 'sub')::uuid)
    with check (owner_id = (current_setting('request.jwt.claims')::jsonb ->> 'sub')::uuid);
  create policy "done is shown" on public.tasks for select to authenticated using (state = 'done');
  create policy "no tasks on frozen sites" on public.tasks as restrictive for insert to authenticated
    with check (not exists (select from public.sites s where s.id = site_id and s.frozen));
  comment on policy "no tasks on frozen sites" on public.tasks is 'A frozen site takes no tasks.';
  comment on constraint tasks_title_check on public.tasks is 'No forbidden words.';
  create policy "anybody may say something" on public.feedback for insert to authenticated with check (true);
`

export type Operation = Omit<UploadOperation, 'op_id' | 'type'> & { type?: string }

/** A database with tasks and policies, and the upload route in front of it. */
export interface UploadWorld extends AsyncDisposable {
  readonly database: TestDatabase
  readonly app: FastifyInstance
  readonly context: JudgeContext
  readonly underWay: UploadAdmission
  /** As `authenticator`; connections are called `uploads`. */
  readonly pool: Pool
  /** What the route takes as exposed. */
  exposedSchemas: readonly string[]
  /** Sends anything. A string goes as it is. */
  post(body: unknown, as?: Caller): Promise<{ status: number; body: Record<string, unknown> }>
  /** Sends an upload that has to be judged. */
  upload(request: UploadRequest, as?: Caller): Promise<UploadResponse>
  /** The next transaction of the one device there is. */
  transaction(...operations: readonly Operation[]): UploadRequest
  tasks(): Promise<readonly Record<string, unknown>[]>
  seedTask(fields?: { owner?: string; title?: string; state?: string; code?: string }): Promise<string>
  empty(): Promise<void>
}

export const caller = (userId: string | undefined, role = 'authenticated'): Caller => ({
  role,
  userId,
  claims: { role, ...(userId ? { sub: userId } : {}) },
  expiresAtS: undefined,
})

interface SentError {
  readonly code: string
  readonly status?: number
  readonly statusCode?: number
  readonly headers?: Record<string, string>
}

export interface UploadWorldOptions {
  readonly perPersonMax?: number
  readonly uploadsMax?: number
  readonly context?: Partial<JudgeContext>
}

export async function openUploadWorld(options: UploadWorldOptions = {}): Promise<UploadWorld> {
  const database = await openTasksDatabase()
  const pool = createPool({
    url: database.requestUrl,
    applicationName: 'uploads',
    connectionsMax: 8,
    acquireTimeoutMs: 5_000,
  })
  const app = createGateway()
  const context: JudgeContext = {
    share: sharePool(pool, {
      connectionsMax: 8,
      shares: { uploads: { reserved: 0, max: 8, perKeyMax: 4 } },
      acquireTimeoutMs: 5_000,
    }).share('uploads'),
    admin: database.pool,
    exposedSchemas: () => world.exposedSchemas,
    statementTimeoutMs: 8_000,
    transactionTimeoutMs: 30_000,
    runOperationsMax: RUN_OPERATIONS_MAX,
    now: () => performance.now(),
    ...options.context,
  }
  const underWay = createUploadAdmission({
    perPersonMax: options.perPersonMax ?? 10,
    uploadsMax: options.uploadsMax ?? 50,
  })
  const watched = { counter: new UploadCounter(), problems: new UploadProblems(), logger: silentLogger }
  await app.register(uploadRoutes({ context, underWay, connections: { of: () => [] }, ...watched }))
  let position = 0

  async function post(body: unknown, as: Caller = caller(ALICE)): ReturnType<UploadWorld['post']> {
    const response = await app.inject({
      method: 'POST',
      url: UPLOAD_PATH,
      headers: { 'content-type': 'application/json', 'x-caller': JSON.stringify(as) },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.statusCode, body: response.json() as Record<string, unknown> }
  }

  const world: UploadWorld = {
    exposedSchemas: ['public', 'holdfast'],
    app,
    context,
    underWay,
    database,
    pool,
    post,
    async upload(request, as) {
      const { status, body } = await post(request, as)
      if (status !== 200) throw new Error(`not judged: ${status} ${JSON.stringify(body)}`)
      return body as unknown as UploadResponse
    },
    transaction(...operations) {
      const numbered = operations.map((operation) => ({ type: 'tasks', ...operation, op_id: ++position }))
      return { client_id: CLIENT, position, operations: numbered }
    },
    tasks: () =>
      database.pool.query(sql`
        select id, owner_id, title, state, points, urgent, tags, extra, shout, site_id from public.tasks order by title`),
    async seedTask(fields = {}) {
      const id = randomUUID()
      await database.pool.execute(sql`
        insert into public.tasks (id, owner_id, title, state, code)
        values (${id}, ${fields.owner ?? ALICE}, ${fields.title ?? 'seeded'}, ${fields.state ?? 'open'}::public.task_state, ${fields.code ?? null})`)
      return id
    },
    async empty() {
      await database.pool.execute(sql`truncate sync.uploads, public.tasks, public.sites, public.feedback`)
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await pool[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
  return world
}

async function openTasksDatabase(): Promise<TestDatabase> {
  const database = await openTestDatabase()
  await database.pool.withClient(async (client) => {
    for (const name of [
      '0002_upload.sql',
      '0004_guards.sql',
      '0125_merge_lines.sql',
      '0260_merge_all_texts.sql',
      '0380_carry_renamed_values.sql',
      '0011_forget_uploads.sql',
      '0146_forget_by_range.sql',
    ])
      await client.query(readFileSync(new URL(`../../migrations/${name}`, import.meta.url), 'utf8'))
    await client.query(SCHEMA)
  })
  return database
}

/** A server that takes the caller from a header, and renders what the routes throw as the gateway does, in short. */
function createGateway(): FastifyInstance {
  const app = fastify()
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request) => {
    request.caller = JSON.parse(String(request.headers['x-caller'])) as Caller
  })
  app.setErrorHandler((error: SentError, _request, reply) => {
    const status = error.status ?? error.statusCode ?? 500
    return reply
      .code(status)
      .headers(error.headers ?? {})
      .send({ error: { code: error.code, status } })
  })
  return app
}
