import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { delay, HoldfastError, type Logger } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import type { SyncPlan } from '@holdfast/policy'
import { sql, type Connections, type Pool } from '@holdfast/postgres'
import { parseLsn } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { PolicyFailures } from '../buckets/policy-failures.ts'
import type { WalBarrier } from '../checkpoints/wal-barrier.ts'
import { administratorsOnly, invalidRequest, noSuchUser, notReady } from '../errors.ts'
import { COMPILED_POLL_MS } from '../limits.ts'
import { readCoverage } from '../inspect/coverage.ts'
import { explainRow } from '../inspect/explain-row.ts'
import { readUserRows } from '../inspect/user-rows.ts'
import type { FindUser, InspectedUser } from '../inspect/inspected-user.ts'
import type { RestrictedPools } from '../user-sql/restricted-pools.ts'
import type { SyncStatus } from '../inspect/status.ts'

export interface InspectRoutesOptions extends RestrictedPools {
  /** Connects as superuser. */
  readonly pool: Pool
  /** Connects as `authenticator`. */
  readonly requestPool: Connections
  readonly walBarrier: WalBarrier
  readonly plan: () => SyncPlan
  readonly active: () => ActivePlan | undefined
  /** Whether no schema change is waiting for a compilation. */
  readonly isSettled: () => boolean
  readonly status: () => Promise<SyncStatus>
  readonly findUser: FindUser
  readonly failures: PolicyFailures
  readonly logger: Logger
}

/**
 * Operator routes with the service key: `GET /sync/v1/status`, `GET /sync/v1/coverage`, `GET /sync/v1/explain`, and for `holdfast sync verify`: `POST
 * /sync/v1/token` and `GET /sync/v1/rows`.
 */
export function inspectRoutes(options: InspectRoutesOptions): FastifyPluginAsync {
  const { pool, readerPool, evaluatorPool, requestPool, walBarrier, failures, logger } = options

  async function personOf(who: string): Promise<InspectedUser> {
    const person = await options.findUser(who)
    if (!person) throw noSuchUser(who)
    return person
  }

  function activePlan(): ActivePlan {
    const active = options.active()
    if (!active) throw notReady()
    return active
  }

  return async (app) => {
    app.addHook('onRequest', async (request) => {
      if (requireCaller(request).role !== 'service_role') throw administratorsOnly()
    })

    app.get('/sync/v1/status', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      return options.status()
    })

    /** Waits until the compiled policies include everything committed so far. */
    async function untilCompiled(signal: AbortSignal): Promise<void> {
      const [row] = await pool.query<{ lsn: string }>(sql`select pg_current_wal_insert_lsn()::text as lsn`)
      const lsn = parseLsn(row?.lsn ?? '')
      if (lsn !== undefined) await walBarrier.waitFor(lsn, signal)
      while (!options.active() || !options.isSettled()) await delay(COMPILED_POLL_MS, signal)
    }

    app.get<{ Querystring: { readonly settled?: string } }>('/sync/v1/coverage', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      if (request.query.settled === 'true') await untilCompiled(goneSignal(request))
      return readCoverage(pool, options.plan(), options.active(), failures.list())
    })

    app.get('/sync/v1/explain', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const { user, table, id } = readQuery(request, ['user', 'table', 'id'])
      const person = await personOf(user)
      const context = {
        pool,
        readerPool,
        evaluatorPool,
        requestPool,
        walBarrier,
        plan: options.plan(),
        active: activePlan(),
        failures,
        logger,
      }
      return explainRow(context, person, table, id, goneSignal(request))
    })

    app.post('/sync/v1/token', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const { user } = readQuery(request, ['user'])
      const { userId, role, token, expiresAtS } = await personOf(user)
      return { user_id: userId, role, token, expires_at: expiresAtS }
    })

    app.get('/sync/v1/rows', async (request, reply) => {
      const { user } = readQuery(request, ['user'])
      const person = await personOf(user)
      const active = activePlan()
      const signal = goneSignal(request)
      const out = new PassThrough()
      reply.headers({ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
      const write = async (line: string): Promise<void> => {
        if (!out.write(line)) await once(out, 'drain', { signal })
      }
      void readUserRows(requestPool, active, person, signal, (rows) =>
        write(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
      ).then(
        ({ tables, narrowed }) => out.end(`${JSON.stringify({ complete: tables, narrowed })}\n`),
        (error: unknown) => {
          if (!signal.aborted) logger.log('warn', 'the rows of a person could not be read', { reason: String(error) })
          out.destroy(error as Error) // the missing last line tells the reader
        },
      )
      return reply.send(out)
    })
  }
}

function goneSignal(request: FastifyRequest): AbortSignal {
  const gone = new AbortController()
  request.raw.socket.once('close', () =>
    gone.abort(new HoldfastError('connection_closed', 499, 'The client went away')),
  )
  return gone.signal
}

function readQuery<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const given = { ...(request.body as object | undefined), ...(request.query as object) } as Readonly<
    Record<string, unknown>
  >
  const missing = names.filter((name) => typeof given[name] !== 'string' || given[name] === '')
  if (missing.length > 0) throw invalidRequest(missing.map((name) => `${name} is missing`))
  const unusable = names.filter((name) => String(given[name]).includes('\0'))
  if (unusable.length > 0) throw invalidRequest(unusable.map((name) => `${name} has a NUL character`))
  return given as Readonly<Record<Name, string>>
}
