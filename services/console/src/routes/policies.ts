import { Type } from 'typebox'
import type { PolicyIdentity } from '@holdfast/protocol'
import { NAME_PG_CHARS_MAX, PAGE_ROWS, POSITION_CHARS_MAX, PROPOSAL_CHARS_MAX } from '../limits.ts'
import { explainAccess } from '../policies/explain-access.ts'
import { describeSync, type ReadPlan } from '../policies/policy-sync.ts'
import { readSeenRows } from '../policies/seen-rows.ts'
import { route, type Route } from '../routing/route.ts'
import type { ReadSyncStates } from '../tables/list-tables.ts'
import type { RowsNeeds } from '../tables/read-rows.ts'
import { Address, Filters, noteTarget } from './row-inputs.ts'

export interface PolicyRoutesNeeds extends RowsNeeds {
  readonly readSync: ReadSyncStates
  readonly readPlan: ReadPlan
}

const Name = Type.String({ minLength: 1, maxLength: NAME_PG_CHARS_MAX })
const Identity = Type.Union([
  Type.Object({ kind: Type.Literal('anon') }),
  Type.Object({ kind: Type.Literal('user'), id: Type.String({ maxLength: 255 }) }),
])
const Target = { schema: Name, table: Name, as: Identity }

/** Policies explained. As with rows of tables, viewers see definitions only: any column may hold personal data. */
export function policyRoutes(needs: PolicyRoutesNeeds): readonly Route[] {
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
