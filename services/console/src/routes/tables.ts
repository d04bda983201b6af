import { Type } from 'typebox'
import {
  DELETED_ROWS_MAX,
  NAME_PG_CHARS_MAX,
  PAGE_ROWS,
  PAGE_ROWS_MAX,
  POSITION_CHARS_MAX,
  VALUE_CHARS_MAX,
} from '../limits.ts'
import { invalidRequest } from '../errors.ts'
import { Identity } from '../routing/identity.ts'
import { route, type Route } from '../routing/route.ts'
import { deleteRows, insertRow, updateRow } from '../tables/change-rows.ts'
import { describeTable } from '../tables/describe-table.ts'
import { listRelations } from '../tables/list-relations.ts'
import { listTables, type ReadSyncStates } from '../tables/list-tables.ts'
import { readPage, readValue, type RowsNeeds } from '../tables/read-rows.ts'
import { Address, Filters, noteTarget } from './row-inputs.ts'

export interface TableRoutesNeeds extends RowsNeeds {
  readonly readSync: ReadSyncStates
}

const Name = Type.String({ minLength: 1, maxLength: NAME_PG_CHARS_MAX })

const Target = { schema: Name, table: Name, as: Identity }
const Seen = Type.Object({ address: Address, version: Type.String({ pattern: '^\\d{1,10}$' }) })
const Values = Type.Array(
  Type.Object({ column: Name, value: Type.Union([Type.String({ maxLength: VALUE_CHARS_MAX }), Type.Null()]) }),
  { maxItems: 1_600 },
)

/** Tables and their rows. Viewers see definitions and estimates, no rows: any column may hold personal data. */
export function tableRoutes(needs: TableRoutesNeeds): readonly Route[] {
  return [...definitionRoutes(needs), ...readRoutes(needs), ...changeRoutes(needs)]
}

function definitionRoutes({ pool, readSync }: TableRoutesNeeds): readonly Route[] {
  return [
    route('GET /tables', { access: 'viewer', run: () => listTables(pool, readSync) }),
    route('GET /tables/relations', { access: 'viewer', run: () => listRelations(pool) }),
    route('GET /tables/details', {
      access: 'viewer',
      query: Type.Object({ schema: Name, table: Name }),
      run: ({ query }) => describeTable(pool, readSync, query.schema, query.table),
    }),
  ]
}

/** Reads are posted, because filters hold personal data, which must not be in addresses; and are logged for the same reason. */
function readRoutes(needs: TableRoutesNeeds): readonly Route[] {
  return [
    route('POST /tables/rows', {
      access: 'developer',
      action: 'read_rows',
      body: Type.Object({
        ...Target,
        filters: Filters,
        sort: Type.Optional(Type.Object({ column: Name, isDescending: Type.Boolean() })),
        after: Type.Optional(Type.String({ maxLength: POSITION_CHARS_MAX })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ROWS_MAX })),
      }),
      run: async (call) => {
        const { body, note } = call
        const noted = noteTarget(call, needs)
        const { filters, sort, after, limit = PAGE_ROWS } = body
        note({ after: { filters, sort, after } })
        return await readPage(noted, { ...body, sort, after, limit })
      },
    }),
    route('POST /tables/value', {
      access: 'developer',
      action: 'read_value',
      body: Type.Object({ ...Target, address: Address, column: Name }),
      run: async (call) => {
        const { body, note } = call
        const noted = noteTarget(call, needs)
        const { address, column } = body
        note({ after: { address, column } })
        const found = await readValue(noted, body)
        if (!found) throw invalidRequest('The row is gone, or not visible any more.')
        return found
      },
    }),
  ]
}

function changeRoutes(needs: TableRoutesNeeds): readonly Route[] {
  return [
    route('POST /tables/rows/insert', {
      access: 'developer',
      action: 'insert_row',
      body: Type.Object({ ...Target, values: Values }),
      run: async (call) => {
        const { body, note } = call
        const noted = noteTarget(call, needs)
        note({ after: valuesOf(body.values) })
        return await insertRow(noted, body)
      },
    }),
    route('POST /tables/rows/update', {
      access: 'developer',
      action: 'update_row',
      body: Type.Object({ ...Target, row: Seen, values: Values }),
      run: async (call) => {
        const { body, note } = call
        const noted = noteTarget(call, needs)
        const after = { address: body.row.address, ...valuesOf(body.values) }
        note({ after })
        const outcome = await updateRow(noted, body, (before) => note({ before }))
        if (outcome.state !== 'done') note({ after: { ...after, outcome: outcome.state } })
        return outcome
      },
    }),
    route('POST /tables/rows/delete', {
      access: 'developer',
      action: 'delete_rows',
      body: Type.Object({ ...Target, rows: Type.Array(Seen, { minItems: 1, maxItems: DELETED_ROWS_MAX }) }),
      run: async (call) => {
        const { body, note } = call
        const noted = noteTarget(call, needs)
        const addresses = body.rows.map(({ address }) => address)
        note({ after: { addresses } })
        const outcome = await deleteRows(noted, body, (before) => note({ before }))
        if (outcome.state !== 'done') note({ after: { addresses, outcome: outcome.state } })
        return outcome
      },
    }),
  ]
}

function valuesOf(
  values: readonly { readonly column: string; readonly value: string | null }[],
): Readonly<Record<string, string | null>> {
  return Object.fromEntries(values.map(({ column, value }) => [column, value]))
}
