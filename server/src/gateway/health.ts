import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { APP_VERSION_MIN, VERSION } from '../version.ts'

/** Where the parts stand, for people who watch over the server. */
export interface HealthReport {
  readonly database: 'up' | 'down'
  /** Whether devices can sync; `preparing` until the first copy of all tables is made, `standby` while another server on the same database serves them; `refused` until an operator has done what `problem` says. */
  readonly sync: 'ready' | 'preparing' | 'standby' | 'refused'
  /** While a large table is being read for sync: how many rows of it have been since the start. */
  readonly rowsRead?: number | undefined
  /** A problem for the operator. May name addresses, tables and roles. */
  readonly problem: string | undefined
}

export interface HealthOptions {
  readonly projectName: string
  readonly report: () => HealthReport
  /** Whether the request has a key that may know what goes on inside. */
  readonly isOperator: (request: FastifyRequest) => Promise<boolean>
}

/**
 * `GET /health`: 200 while the database answers, else 503. Devices ask it to learn whether the server is there and still knows their app; problems
 * inside are for operators.
 */
export function healthRoutes({ projectName, report, isOperator }: HealthOptions): FastifyPluginAsync {
  return async (app) => {
    app.get('/health', async (request, reply) => {
      const showsDetails = await isOperator(request)
      const { database, sync, rowsRead, problem } = report()
      const ok = database === 'up'
      if (!ok) reply.header('retry-after', '1')
      return reply
        .code(ok ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({
          ok,
          project: projectName,
          version: VERSION,
          min_app_version: APP_VERSION_MIN,
          database,
          sync,
          ...(!showsDetails || rowsRead === undefined ? {} : { sync_rows_read: rowsRead }),
          ...(!showsDetails || problem === undefined ? {} : { problem }),
        })
    })
  }
}
