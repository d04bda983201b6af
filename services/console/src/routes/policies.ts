import { Type } from 'typebox'
import type { PolicyIdentity } from '@holdfast/protocol'
import { invalidRequest } from '../errors.ts'
import {
  HISTORY_ERROR_CHARS_MAX,
  NAME_PG_CHARS_MAX,
  PAGE_ROWS,
  POSITION_CHARS_MAX,
  PREVIEW_USERS_MAX,
  PROPOSAL_CHARS_MAX,
  SQL_CHARS_MAX,
} from '../limits.ts'
import { explainAccess } from '../policies/explain-access.ts'
import { describeSync, type ReadPlan } from '../policies/policy-sync.ts'
import { createPreview } from '../policies/preview-change.ts'
import { readSeenRows } from '../policies/seen-rows.ts'
import { route, type Route } from '../routing/route.ts'
import { auditedText } from '../sql/audited-text.ts'
import { refuseOutsideTransaction } from '../sql/outside-transaction.ts'
import { applyStatements, type ProjectChanges } from '../tables/apply-change.ts'
import type { ReadSyncStates } from '../tables/list-tables.ts'
import type { RowsNeeds } from '../tables/read-rows.ts'
import { requireProjectRole } from './require-project-role.ts'
import { Address, Filters, noteTarget } from './row-inputs.ts'
import type { OpenSqlSession } from './sql.ts'

export interface PolicyRoutesNeeds extends RowsNeeds {
  readonly readSync: ReadSyncStates
  readonly readPlan: ReadPlan
  readonly changes: ProjectChanges
  /** Says whether SQL as the project needs an owner. */
  readonly openSqlSession: OpenSqlSession
  readonly readSchemas: () => readonly string[]
}

const Name = Type.String({ minLength: 1, maxLength: NAME_PG_CHARS_MAX })
const Identity = Type.Union([
  Type.Object({ kind: Type.Literal('anon') }),
  Type.Object({ kind: Type.Literal('user'), id: Type.String({ maxLength: 255 }) }),
])
const Target = { schema: Name, table: Name, as: Identity }

/** Policies explained. As with rows of tables, viewers see definitions only: any column may hold personal data. */
export function policyRoutes(needs: PolicyRoutesNeeds): readonly Route[] {
  return [...explanationRoutes(needs), ...previewRoutes(needs)]
}

/** Previews of SQL, which runs as the project and is rolled back, and its application as a migration. */
function previewRoutes(needs: PolicyRoutesNeeds): readonly Route[] {
  const preview = createPreview(needs)
  return [
    route('GET /policies/migrations', { access: 'developer', run: () => needs.changes.readFolder() }),
    route('POST /policies/preview', {
      access: 'developer',
      action: 'preview_change',
      body: Type.Object({
        sql: Type.String({ minLength: 1, maxLength: SQL_CHARS_MAX }),
        users: Type.Array(Identity, { maxItems: PREVIEW_USERS_MAX }),
      }),
      run: async ({ body, note, request, session }) => {
        const audited = auditedText(body.sql)
        note({ after: audited })
        await requireProjectRole(needs.openSqlSession, session)
        const found = await preview({ text: body.sql, users: body.users, signal: request.signal })
        const { users, lockedMs, error } = found
        const as = users.map(({ id }) => id ?? 'anon')
        note({
          after: {
            ...audited,
            users: as,
            lockedMs,
            ...(error && { error: error.message.slice(0, HISTORY_ERROR_CHARS_MAX) }),
          },
        })
        return found
      },
    }),
    route('POST /policies/apply', {
      access: 'developer',
      action: 'apply_change',
      body: Type.Object({
        sql: Type.String({ minLength: 1, maxLength: SQL_CHARS_MAX }),
        name: Type.String({ pattern: '^[a-z0-9_]{1,60}$' }),
        writesFile: Type.Boolean(),
      }),
      run: async ({ body, note, session }) => {
        const audited = auditedText(body.sql)
        note({ target: `migration ${body.name}`, after: audited })
        await requireProjectRole(needs.openSqlSession, session)
        const refused = await refuseOutsideTransaction(body.sql)
        if (refused) throw invalidRequest(refused.message)
        const applied = await applyStatements(needs.changes, body)
        note({ after: { ...audited, ...applied } })
        return applied
      },
    }),
  ]
}

function explanationRoutes(needs: PolicyRoutesNeeds): readonly Route[] {
  return [
    route('GET /policies/sync', {
      access: 'viewer',
      query: Type.Object({ schema: Name, table: Name }),
      run: ({ query }) => describeSync(needs.pool, needs, query.schema, query.table),
    }),
    route('POST /policies/rows', {
      access: 'developer',
      action: 'read_seen_rows',
      body: Type.Object({
        ...Target,
        filters: Filters,
        after: Type.Optional(Type.String({ maxLength: POSITION_CHARS_MAX })),
      }),
      run: async (call) => {
        const { schema, table, filters, after } = call.body
        const noted = noteTarget(call, needs)
        call.note({ after: { filters, after } })
        const as: PolicyIdentity = call.body.as
        return await readSeenRows(noted, { schema, table, as, filters, after, sort: undefined, limit: PAGE_ROWS })
      },
    }),
    route('POST /policies/explain', {
      access: 'developer',
      action: 'explain_access',
      body: Type.Object({
        ...Target,
        address: Type.Optional(Address),
        values: Type.Optional(Type.String({ maxLength: PROPOSAL_CHARS_MAX })),
      }),
      run: async (call) => {
        const { schema, table, as, address, values } = call.body
        const noted = noteTarget(call, needs)
        call.note({ after: { address, values } })
        return await explainAccess(noted, { schema, table, as, address, values })
      },
    }),
  ]
}
