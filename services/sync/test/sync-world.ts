import type { Socket } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { silentLogger, type HoldfastError, type Clock, type Logger } from '@holdfast/foundation'
import { routeUpgrades, type Caller } from '@holdfast/http'
import {
  createPlanCompiler,
  installKeyFunctions,
  readPolicyInput,
  readWriteInput,
  type ReadingMemory,
  type SyncPlan,
} from '@holdfast/policy'
import { createPool, runAs, sharePool, sql, withOwnSettings, type Pool, type PoolShare } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { StreamClient, type DeviceState, type StreamClientOptions } from './stream-client.ts'
import type { BatchLimits } from '../src/replicator/log/log-writer.ts'
import type { RowLimits } from '../src/rows/row-evaluator.ts'
import { openSync, syncMigrations, type SyncService } from '../src/sync.ts'
import type { SyncOptions } from '../src/options.ts'

export const ALICE = 'aaaaaaaa-0000-4000-8000-000000000001'
export const BOB = 'bbbbbbbb-0000-4000-8000-000000000002'
export const CAROL = 'cccccccc-0000-4000-8000-000000000003'

/** Two lists of items, seen by their owners and by the members of their list. */
export const LISTS_SCHEMA = `
  create table public.list_members (id uuid primary key default gen_random_uuid(), list_id uuid not null, user_id uuid not null);
  create table public.items (id uuid primary key default gen_random_uuid(), owner_id uuid, list_id uuid, title text, n integer not null default 0);
  alter table public.list_members enable row level security;
  alter table public.items enable row level security;
  create policy mine on public.list_members for select using (user_id = (select auth.uid()));
  create policy own on public.items for select using (owner_id = (select auth.uid()));
  create policy shared on public.items for select
    using (list_id in (select m.list_id from public.list_members m where m.user_id = (select auth.uid())));
`

const AUTH = `
  create or replace function auth.uid() returns uuid language sql stable
    as $$ select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
  grant execute on function auth.uid() to public;
`

const COMPACTION = { syncCompactIntervalS: 0, syncCompactOpsPerSecond: 10_000_000 }

export interface WorldOptions {
  readonly schema?: string
  /** Changes what was compiled, to plant a fault. */
  readonly tamper?: (plan: SyncPlan) => SyncPlan
  /** Called at the beginning of each compilation, which waits for it. */
  readonly beforeCompile?: () => Promise<void>
  readonly clock?: Clock
  readonly logger?: Logger
  readonly classesMax?: number
  readonly classesPerPersonMax?: number
  readonly classRecountMs?: number
  readonly connectionsMax?: number
  readonly streamsPerPersonMax?: number
  readonly drainMs?: number
  readonly alsoPublished?: SyncOptions['alsoPublished']
  readonly tap?: SyncOptions['tap']
  readonly snapshotBytesMax?: number
  readonly batchLimits?: BatchLimits
  readonly fillChunkRows?: number
  readonly quietCompileMs?: number
  readonly changesInARowMs?: number
  readonly rowLimits?: RowLimits
  /** The way to Postgres of what evaluates policies: through a proxy, for example. Default: straight. */
  readonly through?: (url: string) => string
  readonly bucketsPerClientMax?: number
}

export interface Server {
  readonly service: SyncService
  readonly url: string
  stop(): Promise<void>
}

interface Served extends Omit<Server, 'url'> {
  readonly port: number
}

/** A database, the service over it behind a small server, and devices. */
export interface World extends AsyncDisposable {
  readonly db: TestDatabase
  readonly url: string
  readonly service: SyncService
  /** Bytes that wait in the server for devices to read them. */
  waitingBytes(): number
  /** Runs statements as the superuser, in one transaction. */
  run(text: string): Promise<void>
  rows<Row extends object>(text: string): Promise<Row[]>
  /** The rows that a user may select now, by `table/id`, as the JSON that devices have. Only for columns of simple types. */
  visible(userId: string, tables?: readonly string[]): Promise<DeviceState>
  token(userId: string, expiresInS?: number): string
  device(userId: string, options?: Partial<StreamClientOptions> & { readonly expiresInS?: number }): StreamClient
  /** Disposes the service and opens another over the same database. */
  restart(): Promise<void>
  /** Another server on the same database. @param replicaUrl - of a standby that it reads from */
  another(replicaUrl?: string): Promise<Server>
  /** Stops the service; `restart` opens the next. */
  stop(): Promise<void>
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const db = await openTestDatabase({ migrations: [syncMigrations] })
  const { through = (url: string) => url } = options
  const [server] = await db.pool.query<{ version: number }>(
    sql`select current_setting('server_version_num')::int as version`,
  )
  const own = (url: string): string => withOwnSettings(url, server?.version ?? 0)
  await runText(db.pool, AUTH + (options.schema ?? LISTS_SCHEMA))
  const requestPool = createPool({
    url: through(db.requestUrl),
    applicationName: 'test people',
    connectionsMax: 10,
    resetAfterTransaction: true,
  })
  const shares = sharePool(requestPool, {
    connectionsMax: 10,
    shares: { streams: { reserved: 3, max: 10 }, uploads: { reserved: 1, max: 3, perKeyMax: 2 } },
  })
  const sockets = new Set<Socket>()
  const serving = {
    db,
    shares: { streams: shares.share('streams'), uploads: shares.share('uploads') },
    world: options,
    sockets,
    own,
  }
  const devices: StreamClient[] = []
  const others: Served[] = []
  let main: Served | undefined

  async function open(): Promise<void> {
    sockets.clear()
    main = await serve(serving, main?.port ?? 0, (next) => (stopLast = next))
    await main.service.ready
  }

  let stopLast = async (): Promise<void> => undefined
  const stop = (): Promise<void> => stopLast()

  await open()
  const token = (userId: string, expiresInS?: number): string => tokenOf(userId, options, expiresInS)
  return {
    db,
    get url() {
      return `http://127.0.0.1:${main?.port}`
    },
    get service() {
      return (main as Served).service
    },
    async another(replicaUrl) {
      const other = await serve({ ...serving, replicaUrl }, 0)
      others.push(other)
      return { service: other.service, url: `http://127.0.0.1:${other.port}`, stop: other.stop }
    },
    waitingBytes: () => [...sockets].reduce((sum, socket) => sum + socket.writableLength, 0),
    run: (text) => runText(db.pool, text),
    rows: (text) => db.pool.query(sql.trusted(text)),
    visible: (userId, tables = ['items', 'list_members']) => visibleTo(db.requestPool, userId, tables),
    token,
    device(userId, { expiresInS, ...rest } = {}) {
      const device = new StreamClient({
        url: `http://127.0.0.1:${main?.port}`,
        token: token(userId, expiresInS),
        ...rest,
      })
      devices.push(device)
      return device
    },
    async restart() {
      await stop()
      await open()
    },
    stop,
    async [Symbol.asyncDispose]() {
      for (const device of devices) device.disconnect()
      for (const one of [...others, main]) await one?.stop().catch(() => undefined) // a test may have stopped it
      await requestPool[Symbol.asyncDispose]()
      await db[Symbol.asyncDispose]()
    },
  }
}

interface ServingOptions {
  readonly db: TestDatabase
  readonly shares: { readonly streams: PoolShare; readonly uploads: PoolShare }
  readonly world: WorldOptions
  /** The connections that devices have open. */
  readonly sockets: Set<Socket>
  readonly replicaUrl?: string | undefined
  /** The address with the settings of Holdfast's own sessions. */
  readonly own: (url: string) => string
}

/**
 * @param at - its port; 0 for a free one
 * @param onOpening - called before it is ready: it may be stopped before, too
 */
async function serve(
  serving: ServingOptions,
  at: number,
  onOpening: (stop: () => Promise<void>) => void = () => undefined,
): Promise<Served> {
  const service = openSync(optionsOfSync(serving))
  const app = createGateway(serving.sockets)
  const stop = async (): Promise<void> => {
    await service[Symbol.asyncDispose]()
    await app.close()
  }
  onOpening(stop)
  await app.register(service.routes)
  await service.settled
  await app.listen({ port: at, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  return { service, port, stop }
}

function optionsOfSync({ db, shares, own, replicaUrl, world: options }: ServingOptions): SyncOptions {
  const { through = (url: string) => url } = options
  const compiler = createPlanCompiler()
  const memory: ReadingMemory = {}
  return {
    url: own(db.url),
    ...(replicaUrl === undefined ? {} : { replicaUrl: own(replicaUrl) }),
    readerUrl: own(through(db.readerUrl)),
    evaluatorUrl: own(through(db.evaluatorUrl)),
    shares,
    exposedSchemas: () => ['public', 'holdfast'],
    compile: async (signal) => {
      await options.beforeCompile?.()
      const plan = await compiler.compile(await readPolicyInput(db.compilerPool, { signal, memory }), signal)
      return options.tamper ? options.tamper(plan) : plan
    },
    readWrites: () => readWriteInput(db.compilerPool),
    prepare: (plan) => installKeyFunctions(db, plan, memory),
    readCaller: async (authorization) => readCaller(authorization),
    watchSession: () => ({ [Symbol.dispose]: () => undefined }),
    findUser: async (who) => ({
      userId: who,
      role: 'authenticated',
      claims: { sub: who, role: 'authenticated' },
      token: tokenOf(who, options),
      expiresAtS: 0,
    }),
    options: {
      syncConnectionsMax: options.connectionsMax ?? 1_000,
      syncStreamsPerPersonMax: options.streamsPerPersonMax ?? 1_000,
      syncClassesMax: options.classesMax ?? 10_000,
      syncClassesPerPersonMax: options.classesPerPersonMax ?? 10_000,
      syncCompress: true,
      ...COMPACTION,
      syncUploadsPerPersonMax: 10,
      syncUploadsMax: 500,
      syncUploadConnectionsMax: 6,
      syncUploadStatementTimeoutMs: 8_000,
      syncUploadTimeoutMs: 30_000,
    },
    compactSlackOps: 0,
    ...(options.classRecountMs === undefined ? {} : { classRecountMs: options.classRecountMs }),
    drainMs: options.drainMs ?? 0,
    ...(options.alsoPublished ? { alsoPublished: options.alsoPublished } : {}),
    ...(options.tap ? { tap: options.tap } : {}),
    ...(options.snapshotBytesMax === undefined ? {} : { snapshotBytesMax: options.snapshotBytesMax }),
    ...(options.quietCompileMs === undefined ? {} : { quietCompileMs: options.quietCompileMs }),
    ...(options.changesInARowMs === undefined ? {} : { changesInARowMs: options.changesInARowMs }),
    ...(options.batchLimits ? { batchLimits: options.batchLimits } : {}),
    ...(options.fillChunkRows === undefined ? {} : { fillChunkRows: options.fillChunkRows }),
    ...(options.bucketsPerClientMax === undefined ? {} : { bucketsPerClientMax: options.bucketsPerClientMax }),
    ...(options.rowLimits ? { rowLimits: options.rowLimits } : {}),
    logger: options.logger ?? silentLogger,
    ...(options.clock ? { clock: options.clock } : {}),
  }
}

/** A server that reads the token as the claims themselves, and notes the connections. */
function createGateway(sockets: Set<Socket>): FastifyInstance {
  const app = fastify({ forceCloseConnections: true })
  routeUpgrades(app)
  // The gateway renders refusals; here only so that a test can read them.
  app.setErrorHandler<HoldfastError>((error, _, reply) =>
    reply
      .status(error.status ?? 500)
      .send({ error: { code: error.code, status: error.status, details: error.detail } }),
  )
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async (request) => {
    request.caller = readCaller(request.headers.authorization ?? '')
  })
  return app
}

function readCaller(authorization: string): Caller {
  const token = authorization.split(' ')[1] ?? ''
  const claims = JSON.parse(Buffer.from(token, 'base64url').toString() || '{}') as Record<string, unknown>
  return {
    role: typeof claims['role'] === 'string' ? claims['role'] : 'authenticated',
    claims,
    userId: claims['sub'] as string | undefined,
    expiresAtS: claims['exp'] as number | undefined,
  }
}

function tokenOf(userId: string, { clock }: WorldOptions, expiresInS?: number): string {
  const exp = expiresInS === undefined ? {} : { exp: (clock?.now() ?? Date.now()) / 1000 + expiresInS }
  return Buffer.from(JSON.stringify({ sub: userId, role: 'authenticated', ...exp })).toString('base64url')
}

async function visibleTo(pool: Pool, userId: string, tables: readonly string[]): Promise<DeviceState> {
  return runAs(pool, { role: 'authenticated', claims: { sub: userId } }, async (tx) => {
    const parts = tables.map((table) =>
      sql.trusted(`select '${table}/' || t.id as key, row_to_json(t)::text as json from public.${table} t`),
    )
    const rows = await tx.query<{ key: string; json: string }>(sql.join(parts, ' union all '))
    return new Map(rows.map((row) => [row.key, row.json]))
  })
}

/** Several statements in one transaction, as a simple query is. */
export async function runText(pool: Pool, text: string): Promise<void> {
  await pool.withClient((client) => client.query(text))
}
