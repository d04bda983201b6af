import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Pool } from '@holdfast/postgres'
import { addPageHeaders, parsePage } from '../admin/pagination.ts'
import { parseAuditQuery, readAuditLog } from '../admin/read-audit-log.ts'
import type { RequireAdmin } from '../admin/require-admin.ts'

type Needs = { readonly pool: Pool; readonly requireAdmin: RequireAdmin }

const AuditQuery = Type.Object({
  page: Type.Optional(Type.String()),
  per_page: Type.Optional(Type.String()),
  query: Type.Optional(Type.String()),
})

/** `GET /admin/audit?query=author:…|action:…|type:…`: what was done to accounts, and by whom. Source: GoTrue API reference. */
export function adminAuditRoute({ pool, requireAdmin }: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/admin/audit', { schema: { querystring: AuditQuery } }, async (request, reply) => {
      requireAdmin(request)
      const page = parsePage(request.query)
      const filter = parseAuditQuery(request.query.query)
      const { entries, total } = await readAuditLog(pool, { filter, page })
      addPageHeaders(reply, request.url, page, total)
      return entries
    })
  }
}
