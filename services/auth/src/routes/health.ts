import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from '@holdfast/postgres'
import type { AuthContext } from '../context.ts'

/** `GET /health`: answers once the database does. */
export function healthRoute({ pool }: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/health', async () => {
      await pool.execute(sql`select 1`)
      return { name: 'Holdfast Auth', description: 'User registration and authentication, compatible with GoTrue' }
    })
  }
}
