import { sql, type SqlFragment } from '@holdfast/postgres'
import { neededColumns } from '../plan/needed-columns.ts'
import type { CallArguments, CallPlan, ReadPlan } from '../plan/plan.ts'
import { arrayLiteral } from './render-filter.ts'
import { BODY, renderPayload } from './render-payload.ts'

/** Column of a function's result that is not a row. Its name appears in CSV. */
export const SCALAR = sql.identifier('pgrst_scalar')

const CALL = sql.identifier('rest_call')

/** Renders a function call as rows of its result, or as one column {@link SCALAR}. */
export function renderCall({ routine, args }: CallPlan, read: ReadPlan): SqlFragment {
  const name = sql.identifier(routine.schema, routine.name)
  const call = sql`${name}(${renderArguments(args)})`
  const from =
    args.kind === 'json' && args.parameters.length > 0 ? sql`${renderArgumentPayload(args)}, lateral ` : sql``
  if (routine.returns !== 'composite') {
    return sql`select ${CALL}.${SCALAR} from ${from}(select ${call} as ${SCALAR}) as ${CALL}`
  }
  const columns = neededColumns(read, []).map((column) =>
    column === '*' ? sql`${CALL}.*` : sql`${CALL}.${sql.identifier(column)}`,
  )
  return sql`select ${sql.join(columns)} from ${from}${call} as ${CALL}`
}

function renderArguments(args: CallArguments): SqlFragment {
  switch (args.kind) {
    case 'body':
      return sql`${args.value}::${sql.trusted(args.type)}`
    case 'json':
      return sql.join(
        args.parameters.map(({ name, variadic }) => {
          const argument = sql.identifier(name)
          return sql`${sql.trusted(variadic ? 'variadic ' : '')}${argument} => ${BODY}.${argument}`
        }),
      )
    case 'texts':
      return sql.join(
        args.values.map(({ parameter: { name, type, variadic }, texts }) => {
          const text = variadic ? arrayLiteral(texts) : texts[0]
          return sql`${sql.trusted(variadic ? 'variadic ' : '')}${sql.identifier(name)} => ${text}::${sql.trusted(type)}`
        }),
      )
  }
}

function renderArgumentPayload({
  payload,
  parameters,
}: Extract<CallArguments, { readonly kind: 'json' }>): SqlFragment {
  const columns = parameters.map(({ name, type }) => ({ name, type, defaultSql: undefined, fromJson: undefined }))
  return renderPayload({ payload, columns, applyDefaults: false, single: true })
}
