import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql, type Pool } from '@holdfast/postgres'

type Needs = { readonly pool: Pool }

/** `GET /health`: answers once the database does. */
export function healthRoute({ pool }: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/health', async () => {
      await pool.execute(sql`select 1`)
      return { name: 'Holdfast Auth', description: 'User registration and authentication, compatible with GoTrue' }
    })
  }
}
