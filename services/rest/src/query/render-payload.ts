import { quoteLiteral, sql, type SqlFragment } from '@holdfast/postgres'
import type { PayloadColumn } from '../plan/plan.ts'
import { PAYLOAD_ALIAS } from '../plan/plan-write.ts'
import type { RowsPayload } from '../request/api-request.ts'

export const BODY = sql.identifier(PAYLOAD_ALIAS)

/** Name-value pairs per call. Postgres accepts 100 arguments for a function. */
const PAIRS_MAX = 50

/**
 * Renders the rows of a JSON payload as a source named {@link BODY}: one parameter that Postgres reads with the columns' types.
 *
 * @param applyDefaults - whether a missing key becomes the column's default rather than null
 * @param single - take only the first row, for an update
 */
export function renderPayload(input: {
  readonly payload: RowsPayload
  readonly columns: readonly PayloadColumn[]
  readonly applyDefaults: boolean
  readonly single: boolean
}): SqlFragment {
  const { payload, columns, single } = input
  const defaults = columns.filter(({ defaultSql }) => defaultSql !== undefined)
  const applyDefaults = input.applyDefaults && defaults.length > 0
  const kind = applyDefaults ? 'jsonb' : 'json'
  const value = sql`(select ${payload.json}::${sql.trusted(kind)} as "value") as "rest_payload"`
  const limit = single ? sql` limit 1` : sql``
  if (columns.length === 0) {
    const rows = payload.isObject ? sql`(values (1)) as "_"` : sql`json_array_elements("rest_payload"."value") as "_"`
    return sql`${value}, lateral (select from ${rows}${limit}) as ${BODY}`
  }
  const typed = columns.map(
    ({ name, type, fromJson }) => sql`${sql.identifier(name)} ${sql.trusted(fromJson === undefined ? type : 'json')}`,
  )
  const names = sql.join(columns.map(renderValue))
  const read = sql.trusted(`${kind}_to_record${payload.isObject ? '' : 'set'}`)
  const filled = applyDefaults ? renderDefaults(payload, defaults) : sql``
  const source = applyDefaults ? sql`"rest_filled"."value"` : sql`"rest_payload"."value"`
  return sql`${value}${filled}, lateral (select ${names} from ${read}(${source}) as "_"(${sql.join(typed)})${limit}) as ${BODY}`
}

/** Renders a payload column, converted by the domain's function if there is one. */
function renderValue({ name, fromJson }: PayloadColumn): SqlFragment {
  const column = sql.identifier(name)
  return fromJson === undefined ? column : sql`${sql.trusted(fromJson)}(${column}) as ${column}`
}

function renderDefaults(payload: RowsPayload, columns: readonly PayloadColumn[]): SqlFragment {
  const pairs = columns.map(({ name, defaultSql }) => sql.trusted(`${quoteLiteral(name)}, ${defaultSql ?? 'null'}`))
  const objects = Array.from({ length: Math.ceil(pairs.length / PAIRS_MAX) }, (_, index) => {
    const some = pairs.slice(index * PAIRS_MAX, (index + 1) * PAIRS_MAX)
    return sql`jsonb_build_object(${sql.join(some)})`
  })
  const defaults = sql.join(objects, ' || ')
  return payload.isObject
    ? sql`, lateral (select ${defaults} || "rest_payload"."value" as "value") as "rest_filled"`
    : sql`, lateral (select coalesce(jsonb_agg(${defaults} || "element"), '[]') as "value" from jsonb_array_elements("rest_payload"."value") as "element") as "rest_filled"`
}
