import { assert } from '@holdfast/foundation'
import { sql, type SqlFragment } from '@holdfast/postgres'
import type { DatabasePlan, ReadPlan } from '../plan/plan.ts'
import type { MediaType } from '../request/api-request.ts'
import { renderCall, SCALAR } from './render-call.ts'
import { renderCount, renderRead, RESULT } from './render-read.ts'
import { INSERTED_SETTING, renderWrite } from './render-write.ts'

/** The statements of one request. The main one answers one row; see `ResultRow` of `execute.ts`. */
export interface Query {
  readonly main: SqlFragment
  /** `explain` of the counting query, for planned and estimated counts. */
  readonly explain: SqlFragment | undefined
}

const PAGE = sql.identifier('rest_page')
const COUNTED = sql.identifier('rest_counted')
const SETTINGS = sql`nullif(current_setting('response.headers', true), '') as "headers", nullif(current_setting('response.status', true), '') as "status"`

/** What is run for an answer without rows, so that the role, the settings and what a function sets in them apply all the same. */
export function renderNothing(): Query {
  const main = sql`select null::text as "total", '0' as "rows", '' as "body", null::text as "location", null::text as "inserted", ${SETTINGS}`
  return { main, explain: undefined }
}

/** Renders a plan. Nothing is decided here; every value is a parameter. */
export function renderQuery(plan: DatabasePlan): Query {
  const { count, rowsMax } = plan.kind === 'write' ? { count: 'none' as const, rowsMax: undefined } : plan
  const read = renderRead(plan.read)
  const page = plan.kind === 'write' && plan.bodyless ? RESULT : sql`(${read})`
  const counts = count === 'exact' || count === 'estimated'
  const wholeIsPage = rowsMax === undefined && plan.read.limit === undefined && plan.read.offset === 0
  const limit = count === 'estimated' && rowsMax !== undefined ? sql` limit ${rowsMax + 1}` : sql``
  const counted = counts && !wholeIsPage ? sql`, ${COUNTED} as (${renderCount(plan.read)}${limit})` : sql``
  const total = !counts
    ? sql`null::text`
    : wholeIsPage
      ? sql`count(*)::text`
      : sql`(select count(*) from ${COUNTED})::text`
  const columns = sql`${total} as "total", count(*)::text as "rows", ${renderBody(plan)} as "body", ${renderLocation(plan)} as "location", ${renderInserted(plan)} as "inserted", ${SETTINGS}`
  const planned = plan.kind === 'read' && (count === 'planned' || count === 'estimated')
  return {
    main:
      plan.kind === 'read'
        ? sql`with ${RESULT} as (${read})${counted} select ${columns} from ${RESULT} as ${PAGE}`
        : sql`with ${RESULT} as (${renderResult(plan, plan.read)})${counted} select ${columns} from ${page} as ${PAGE}`,
    explain: planned ? sql`explain (format json) ${renderCount(plan.read)}` : undefined,
  }
}

function renderResult(plan: Exclude<DatabasePlan, { readonly kind: 'read' }>, read: ReadPlan): SqlFragment {
  return plan.kind === 'write' ? renderWrite(plan.write) : renderCall(plan.call, read)
}

/** The whole body as one text, made by Postgres. */
function renderBody(plan: DatabasePlan): SqlFragment {
  if (plan.bodyless) return sql`''`
  const routine = plan.kind === 'call' ? plan.call.routine : undefined
  const isScalar = routine !== undefined && routine.returns !== 'composite'
  const item = isScalar ? sql`${PAGE}.${SCALAR}` : PAGE
  const isSingle = isObject(plan.media) || (routine !== undefined && !routine.returnsSet)
  if (plan.media === 'csv') return isScalar ? sql`string_agg(${item}::text, E'\n')` : renderCsv()
  const rows = isSingle ? sql`(json_agg(${item})->0)` : sql`json_agg(${item})`
  const stripped = isStripped(plan.media) ? sql`json_strip_nulls(${rows})` : rows
  return sql`coalesce(${stripped}, ${sql.trusted(isSingle ? "'null'" : "'[]'")})::text`
}

/** A header of the column names, then Postgres's text form of each row, which is quoted as CSV wants it. */
function renderCsv(): SqlFragment {
  const names = sql`(select coalesce(string_agg(name, ','), '') from (select json_object_keys(row_to_json(one)) as name from (select * from ${RESULT} limit 1) as one) as names)`
  return sql`${names} || E'\n' || coalesce(string_agg(substring(${PAGE}::text, 2, length(${PAGE}::text) - 2), E'\n'), '')`
}

/** `[["id","7"]]` of the only row that was inserted. */
function renderLocation(plan: DatabasePlan): SqlFragment {
  if (plan.kind !== 'write' || plan.location === undefined) return sql`null::text`
  const pairs = sql`select json_agg(json_build_array(pair.key, pair.value))::text from (select row_to_json(one) as value from ${RESULT} as one limit 1) as data cross join json_each_text(data.value) as pair where pair.key = any(${[...plan.location]}::text[])`
  return sql`case when count(*) = 1 then (${pairs}) end`
}

function renderInserted(plan: DatabasePlan): SqlFragment {
  if (plan.kind !== 'write' || plan.write.kind !== 'insert' || !plan.write.countInserted) return sql`null::text`
  assert(/^[a-z.]+$/.test(INSERTED_SETTING), 'the name of the setting needs no quoting')
  return sql.trusted(`nullif(current_setting('${INSERTED_SETTING}', true), '')`)
}

function isObject(media: MediaType): boolean {
  return media === 'object' || media === 'object-stripped'
}

function isStripped(media: MediaType): boolean {
  return media === 'object-stripped' || media === 'json-stripped'
}
