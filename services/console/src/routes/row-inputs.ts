import { FILTER_OPERATORS, type TableIdentity } from '@holdfast/protocol'
import { Type } from 'typebox'
import { FILTER_CHARS_MAX, FILTERS_MAX, NAME_PG_CHARS_MAX, POSITION_CHARS_MAX } from '../limits.ts'
import type { Call } from '../routing/route.ts'
import type { RowsNeeds } from '../tables/read-rows.ts'

/** Schema of a row's address. */
export const Address = Type.Array(Type.String({ maxLength: POSITION_CHARS_MAX }), { minItems: 1, maxItems: 32 })

/** Schema of the filters of a page of rows. */
export const Filters = Type.Array(
  Type.Object({
    column: Type.String({ minLength: 1, maxLength: NAME_PG_CHARS_MAX }),
    operator: Type.Union(FILTER_OPERATORS.map((one) => Type.Literal(one))),
    value: Type.Optional(Type.String({ maxLength: FILTER_CHARS_MAX })),
  }),
  { maxItems: FILTERS_MAX },
)

interface Targeted {
  readonly schema: string
  readonly table: string
  readonly as: TableIdentity
}

/** Notes the table of a call, and the id of the user as whom it runs. */
export function noteTarget<Needs extends RowsNeeds>(
  { body, note }: Pick<Call<unknown, Targeted>, 'body' | 'note'>,
  needs: Needs,
): Needs {
  note({ target: targetOf(body) })
  return {
    ...needs,
    async openSession(as: TableIdentity) {
      const opened = await needs.openSession(as)
      const id = opened?.session?.claims['sub']
      if (typeof id === 'string') note({ target: targetOf({ ...body, as: { kind: 'user', id } }) })
      return opened
    },
  }
}

function targetOf({ schema, table, as }: Targeted): string {
  return `table ${schema}.${table} as ${as.kind === 'user' ? `user ${as.id}` : as.kind}`
}
