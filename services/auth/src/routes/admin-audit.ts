import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { addPageHeaders, parsePage } from '../admin/pagination.ts'
import { parseAuditQuery, readAuditLog } from '../admin/read-audit-log.ts'
import { requireAdmin } from '../admin/require-admin.ts'
import type { AuthContext } from '../context.ts'

const AuditQuery = Type.Object({
  page: Type.Optional(Type.String()),
  per_page: Type.Optional(Type.String()),
  query: Type.Optional(Type.String()),
})

/** `GET /admin/audit?query=author:…|action:…|type:…`: what was done to accounts, and by whom. Source: GoTrue API reference. */
export function adminAuditRoute(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/admin/audit', { schema: { querystring: AuditQuery } }, async (request, reply) => {
      requireAdmin(context, request)
      const page = parsePage(request.query)
      const filter = parseAuditQuery(request.query.query)
      const { entries, total } = await readAuditLog(context, { filter, page })
      addPageHeaders(reply, request.url, page, total)
      return entries
    })
  }
}
