import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { isOperator, type VerifyToken } from '../authenticate.ts'
import { renderFamilies, type Family } from './families.ts'

export interface MetricsOptions {
  /** Collects the metrics. Works while Postgres is down. */
  readonly read: () => Promise<readonly Family[]>
  /** Token for reading metrics only; the service_role key works, too. */
  readonly token: string | undefined
  readonly verifyToken: VerifyToken
}

/** `GET /metrics`, in the format of Prometheus. */
export function metricsRoutes({ read, token, verifyToken }: MetricsOptions): FastifyPluginAsync {
  let reading: Promise<readonly Family[]> | undefined
  // Concurrent requests share a result.
  const readOnce = (): Promise<readonly Family[]> => (reading ??= read().finally(() => (reading = undefined)))
  return async (app) => {
    app.get('/metrics', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      if (!hasToken(request, token) && !(await isOperator(request, verifyToken))) {
        return reply
          .code(401)
          .header('www-authenticate', 'Bearer')
          .type('text/plain; charset=utf-8')
          .send('Metrics are for who has the metricsToken, or the service_role key.\n')
      }
      const families = await readOnce()
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(renderFamilies(families))
    })
  }
}

function hasToken({ headers }: FastifyRequest, token: string | undefined): boolean {
  const given = /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
  return token !== undefined && given !== undefined && timingSafeEqual(digest(given), digest(token))
}

/** Returns a fixed-length digest for comparison. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
