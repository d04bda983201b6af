import { sql, type SqlFragment } from '@holdfast/postgres'
import type { BodyShape, DatabasePlan } from '../plan/plan.ts'
import { SCALAR } from './render-call.ts'

/** The returned rows, after filters and range. */
export const PAGE = sql.identifier('rest_page')

/** A whole row. `.*` is needed because a column may have the same name as the rows. */
const ROW = sql`${PAGE}.*`

/** The common table expression of these rows, if the body reads them twice. */
export const ROWS = sql.identifier('rest_rows')

/** Returns whether the body reads the rows twice, so that they need the name {@link ROWS}. */
export function readsRowsTwice(plan: DatabasePlan): boolean {
  return !plan.bodyless && plan.media.body.kind === 'csv'
}

/** Renders the whole body as one text or `bytea`, built by Postgres. */
export function renderBody(plan: DatabasePlan): SqlFragment {
  if (plan.bodyless) return sql`''`
  const { body } = plan.media
  const routine = plan.kind === 'call' ? plan.call.routine : undefined
  const isScalar = routine !== undefined && routine.returns !== 'composite'
  const isSingle = routine !== undefined && !routine.returnsSet
  const item = isScalar ? sql`${PAGE}.${SCALAR}` : ROW
  switch (body.kind) {
    case 'json':
      return renderJson(item, isSingle, body.stripped)
    case 'object':
      return renderJson(item, true, body.stripped)
    case 'csv':
      return renderCsv()
    case 'geojson': {
      const feature = sql`${sql.identifier(body.function.schema, body.function.name)}(${ROW})::json`
      return sql`json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(${feature}), '[]'))::text`
    }
    case 'raw':
      return renderWhole(sql`(array_agg(${toWire(item, body.binary)}))[1]`, body.binary)
    case 'handler':
      return renderWhole(toWire(renderHandler(body, isScalar && isSingle ? item : ROW), body.binary), body.binary)
  }
}

function renderJson(item: SqlFragment, isSingle: boolean, isStripped: boolean): SqlFragment {
  const rows = isSingle ? sql`(json_agg(${item})->0)` : sql`json_agg(${item})`
  const stripped = isStripped ? sql`json_strip_nulls(${rows})` : rows
  return sql`coalesce(${stripped}, ${sql.trusted(isSingle ? "'null'" : "'[]'")})::text`
}

/** Renders a name as a CSV field (RFC 4180). */
const NAME_FIELD = sql.trusted(
  String.raw`case when name ~ E'[",\\r\\n]' then '"' || replace(name, '"', '""') || '"' else name end`,
)

/**
 * Renders CSV: column names, then Postgres's text form of each row, which is quoted like CSV except that backslashes are doubled.
 */
function renderCsv(): SqlFragment {
  const names = sql`(select coalesce(string_agg(${NAME_FIELD}, ','), '') from (select json_object_keys(row_to_json(one)) as name from (select * from ${ROWS} limit 1) as one) as names)`
  const line = sql`substring((${ROW})::text, 2, length((${ROW})::text) - 2)`
  const lines = sql`coalesce(string_agg(${line}, E'\n'), '')`
  return sql`${names} || E'\n' || replace(${lines}, ${sql.trusted(String.raw`E'\\\\', E'\\'`)})`
}

/** Renders an aggregate over the rows, cast to its argument type. */
function renderHandler(
  { function: { schema, name }, row }: Extract<BodyShape, { kind: 'handler' }>,
  item: SqlFragment,
) {
  const argument = row ? sql`(${item})::${sql.identifier(row.schema, row.name)}` : item
  return sql`${sql.identifier(schema, name)}(${argument})`
}

/** Renders bytes, or the text of the type's output function. A cast of `xml` to `text` would keep its first newline. */
function toWire(value: SqlFragment, binary: boolean): SqlFragment {
  return binary ? sql`(${value})::pg_catalog.bytea` : sql`pg_catalog.format('%s', ${value})`
}

function renderWhole(value: SqlFragment, binary: boolean): SqlFragment {
  return sql`coalesce(${value}, ${sql.trusted(binary ? "''::bytea" : "''")})`
}
