import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { HoldfastError } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { addPageHeaders, parsePage } from '../admin/pagination.ts'
import { parseAuditQuery, readAuditLog } from '../admin/read-audit-log.ts'
import type { RequireAdmin } from '../admin/require-admin.ts'
import { validationFailed } from '../errors.ts'
import { MESSAGES_PER_PAGE_MAX } from '../limits.ts'
import { deleteMessages, findMessage, readMessages } from '../messages/message-rows.ts'
import { isUuid } from '../store.ts'

type Needs = { readonly pool: Pool; readonly requireAdmin: RequireAdmin }

const ListQuery = Type.Object({ recipient: Type.Optional(Type.String()), limit: Type.Optional(Type.String()) })
const DeleteQuery = Type.Object({ recipient: Type.Optional(Type.String()) })
const MessageParams = Type.Object({ id: Type.String() })

const MESSAGES_PER_PAGE = 50

/**
 * `GET /admin/messages?recipient=&limit=`, `GET /admin/messages/:id`, `DELETE /admin/messages?recipient=`: the captured mailbox and the
 * delivery status of messages. Not part of GoTrue, which is usually run with a mail catcher.
 */
export function adminMessageRoutes({ pool, requireAdmin }: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.addHook('preHandler', async (request) => {
      requireAdmin(request)
    })

    app.get('/admin/messages', { schema: { querystring: ListQuery } }, async (request) => {
      const { recipient, limit } = request.query
      return readMessages(pool, { ...recipientOf(recipient), limit: parseLimit(limit) })
    })

    app.get('/admin/messages/:id', { schema: { params: MessageParams } }, async (request) => {
      const { id } = request.params
      const message = isUuid(id) ? await findMessage(pool, id) : undefined
      if (!message) throw new HoldfastError('not_found', 404, 'There is no such message')
      return message
    })

    app.delete('/admin/messages', { schema: { querystring: DeleteQuery } }, async (request, reply) => {
      await deleteMessages(pool, recipientOf(request.query.recipient).recipient)
      return reply.code(204).send()
    })
  }
}

/** Parses a recipient: addresses are stored in lowercase, numbers as digits. */
function recipientOf(text = ''): { readonly recipient?: string } {
  const recipient = text.trim().toLowerCase()
  if (recipient === '') return {}
  return { recipient: /^\+?[\d ]+$/.test(recipient) ? recipient.replaceAll(/\D/g, '') : recipient }
}

function parseLimit(text: string | undefined): number {
  if (text === undefined || text === '') return MESSAGES_PER_PAGE
  if (!/^\d{1,6}$/.test(text) || Number(text) === 0) throw validationFailed('limit has to be a positive number')
  return Math.min(Number(text), MESSAGES_PER_PAGE_MAX)
}

const AuditQuery = Type.Object({
  page: Type.Optional(Type.String()),
  per_page: Type.Optional(Type.String()),
  query: Type.Optional(Type.String()),
})

/** `GET /admin/audit?query=author:…|action:…|type:…`: the audit log of accounts. Source: GoTrue API reference. */
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
