import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { APP_VERSION_MIN, VERSION } from '../version.ts'

/** State of the server's parts, for operators. */
export interface HealthReport {
  readonly database: 'up' | 'down'
  /**
   * Whether devices can sync. `preparing`: not before the initial copy of all tables is complete. `standby`: another server on this database serves them, and this one cannot follow it yet.
   * `refused`: not before an operator fixes `problem`.
   */
  readonly sync: 'ready' | 'preparing' | 'standby' | 'refused'
  /** `reader`: reads the changes. `follower`: serves devices from the log that another server on this database writes. */
  readonly role: 'reader' | 'follower'
  /** Seconds by which what devices get is behind. */
  readonly lagSeconds: number
  /** Use of `DATABASE_REPLICA_URL`; missing without one. */
  readonly replica?:
    | { readonly used: boolean; readonly lagSeconds: number; readonly problem: string | undefined }
    | undefined
  /** While a large table is being read for sync: the number of its rows read since the server started. */
  readonly rowsRead?: number | undefined
  /** A problem for the operator. May contain addresses, tables and roles. */
  readonly problem: string | undefined
}

export interface HealthOptions {
  readonly projectName: string
  readonly report: () => HealthReport
  /** Whether the request's key permits internal details. */
  readonly isOperator: (request: FastifyRequest) => Promise<boolean>
}

/**
 * `GET /health`: 200 while the database responds, otherwise 503. Devices use it to check that the server is reachable and still supports the version of their
 * app. Only operators see internal problems.
 */
export function healthRoutes({ projectName, report, isOperator }: HealthOptions): FastifyPluginAsync {
  return async (app) => {
    app.get('/health', async (request, reply) => {
      const showsDetails = await isOperator(request)
      const { database, sync, role, lagSeconds, replica, rowsRead, problem } = report()
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
          ...(showsDetails ? { sync_role: role, sync_lag_seconds: lagSeconds } : {}),
          ...(!showsDetails || replica === undefined
            ? {}
            : {
                replica: replica.used ? 'used' : 'avoided',
                replica_lag_seconds: replica.lagSeconds,
                ...(replica.problem === undefined ? {} : { replica_problem: replica.problem }),
              }),
          ...(!showsDetails || rowsRead === undefined ? {} : { sync_rows_read: rowsRead }),
          ...(!showsDetails || problem === undefined ? {} : { problem }),
        })
    })
  }
}
