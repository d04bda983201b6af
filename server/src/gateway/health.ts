import type { FastifyPluginAsync } from 'fastify'
import { APP_VERSION_MIN, VERSION } from '../version.ts'

/** Where the parts stand, for people who watch over the server. */
export interface HealthReport {
  readonly database: 'up' | 'down'
  /** Whether devices can sync; `preparing` until the first copy of all tables is made, `standby` while another server on the same database serves them. */
  readonly sync: 'ready' | 'preparing' | 'standby'
  /** While a large table is being read for sync: how many rows of it have been since the start. */
  readonly rowsRead?: number | undefined
  /** What an operator has to do something about. */
  readonly problem: string | undefined
}

/** `GET /health`: 200 while the database answers, else 503. Devices ask it to learn whether the server is there and still knows their app. */
export function healthRoutes(projectName: string, report: () => HealthReport): FastifyPluginAsync {
  return async (app) => {
    app.get('/health', async (_request, reply) => {
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
          ...(rowsRead === undefined ? {} : { sync_rows_read: rowsRead }),
          ...(problem === undefined ? {} : { problem }),
        })
    })
  }
}
