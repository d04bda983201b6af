import { Type } from 'typebox'
import type { Pool } from '@holdfast/postgres'
import { includesRole, type TableIdentity } from '@holdfast/protocol'
import { invalidRequest, roleTooLow } from '../errors.ts'
import { HISTORY_ERROR_CHARS_MAX, SQL_CHARS_MAX, SQL_TIMEOUT_S, SQL_TIMEOUT_S_MAX } from '../limits.ts'
import { requireOperator } from '../operators/require-operator.ts'
import { Identity } from '../routing/identity.ts'
import { route, type Route } from '../routing/route.ts'
import { auditedText } from '../sql/audited-text.ts'
import { readNames } from '../sql/read-names.ts'
import type { SqlRunner, SqlSession } from '../sql/run-sql.ts'

/** Returns the session for whom statements run; `undefined` if there is no such user. */
export type OpenSqlSession = (as: SqlIdentity) => Promise<SqlSession | undefined>

/** The project's role, a visitor without an account, or a user, by id or address, with their newest session's claims. */
export type SqlIdentity = TableIdentity

/** The SQL editor. Every run is in the audit log, with its text. */
export function sqlRoutes(pool: Pool, runner: SqlRunner, openSession: OpenSqlSession): readonly Route[] {
  return [
    route('GET /catalog', { access: 'developer', run: async () => ({ names: await readNames(pool) }) }),
    route('POST /sql', {
      access: 'developer',
      action: 'run_sql',
      body: Type.Object({
        text: Type.String({ minLength: 1, maxLength: SQL_CHARS_MAX }),
        as: Identity,
        isReadOnly: Type.Optional(Type.Boolean()),
        explain: Type.Optional(Type.Union([Type.Literal('plan'), Type.Literal('analyze')])),
        timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: SQL_TIMEOUT_S_MAX })),
      }),
      run: async ({ body, session, request, note }) => {
        const { text, as, isReadOnly = false, explain, timeoutSeconds = SQL_TIMEOUT_S } = body
        const audited = { ...auditedText(text), isReadOnly, ...(explain && { explain }) }
        note({ target: as.kind === 'user' ? `as user ${as.id}` : `as ${as.kind}`, after: audited })
        const opened = await openSession(as)
        if (!opened) throw invalidRequest('There is no such user.')
        if (as.kind === 'user') note({ target: `as user ${String(opened.claims?.['sub'])}` })
        const { operator } = requireOperator(session)
        if (opened.needs && !includesRole(operator.role, opened.needs)) throw roleTooLow(opened.needs)
        const outcome = await runner.run({
          text,
          session: opened,
          isReadOnly,
          ...(explain && { explain }),
          timeoutMs: timeoutSeconds * 1_000,
          operatorId: operator.id,
          signal: request.signal,
        })
        const { ms, error } = outcome
        note({
          after: { ...audited, ms, ...(error && { error: error.message.slice(0, HISTORY_ERROR_CHARS_MAX) }) },
        })
        return outcome
      },
    }),
  ]
}
