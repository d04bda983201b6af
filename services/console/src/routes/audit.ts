import { Type } from 'typebox'
import type { AuditLog } from '../audit-log.ts'
import { PAGE_ROWS, PAGE_ROWS_MAX } from '../limits.ts'
import { route, type Route } from '../routing/route.ts'

const Text = Type.Optional(Type.String({ maxLength: 255 }))

/** The audit log, newest first, in pages. */
export function auditRoutes(audit: AuditLog): readonly Route[] {
  return [
    route('GET /audit', {
      access: 'developer',
      query: Type.Object({
        operator: Text,
        action: Text,
        target: Text,
        before: Type.Optional(Type.String({ pattern: '^\\d{1,18}$' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ROWS_MAX })),
      }),
      run: async ({ query }) => {
        const limit = query.limit ?? PAGE_ROWS
        const entries = await audit.list({ ...query, limit })
        return { entries, next: entries.length === limit ? entries.at(-1)?.id : undefined }
      },
    }),
  ]
}
