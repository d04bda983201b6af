import { assert } from '@holdfast/foundation'
import { sql, type SqlFragment } from '@holdfast/postgres'
import type { DatabasePlan, ReadPlan } from '../plan/plan.ts'
import { renderAnswerSettings } from './render-answer-settings.ts'
import { PAGE, readsRowsTwice, renderBody, ROWS } from './render-body.ts'
import { renderCall } from './render-call.ts'
import { renderCount, renderRead, RESULT } from './render-read.ts'
import { INSERTED_SETTING, renderWrite } from './render-write.ts'

/** The statements of a request. The main one returns a single row; see `ResultRow` of `execute.ts`. */
export interface Query {
  readonly main: SqlFragment
  /** `explain` of the counting query, for planned and estimated counts. */
  readonly explain: SqlFragment | undefined
}

const COUNTED = sql.identifier('rest_counted')

/** Renders a statement without rows, so that the role, the settings and functions that change them still apply. */
export function renderNothing(): Query {
  const main = sql`select null::text as "total", '0' as "rows", '' as "body", null::text as "location", null::text as "inserted", ${renderAnswerSettings(false)}`
  return { main, explain: undefined }
}

/** Renders a plan without further decisions. Every value is a parameter. */
export function renderQuery(plan: DatabasePlan): Query {
  const { count, rowsMax } = plan.kind === 'write' ? { count: 'none' as const, rowsMax: undefined } : plan
  const read = renderRead(plan.read)
  const page = plan.kind === 'write' && plan.bodyless ? RESULT : sql`(${read})`
  const counts = count === 'exact' || count === 'estimated'
  const { limit: rootLimit, offset, aggregated } = plan.read
  const wholeIsPage = rowsMax === undefined && rootLimit === undefined && offset === 0 && !aggregated
  // The planner estimates only relations, so a function's result is counted exactly.
  const stopsEarly = plan.kind === 'read' && count === 'estimated' && rowsMax !== undefined
  const limit = stopsEarly ? sql` limit ${rowsMax + 1}` : sql``
  const counted = counts && !wholeIsPage ? sql`, ${COUNTED} as (${renderCount(plan.read)}${limit})` : sql``
  const total = !counts
    ? sql`null::text`
    : wholeIsPage
      ? sql`count(*)::text`
      : sql`(select count(*) from ${COUNTED})::text`
  const mayWrite = plan.kind === 'write' || (plan.kind === 'call' && !plan.readOnly)
  const columns = sql`${total} as "total", count(*)::text as "rows", ${renderBody(plan)} as "body", ${renderLocation(plan)} as "location", ${renderInserted(plan)} as "inserted", ${renderAnswerSettings(mayWrite)}`
  const planned = plan.kind === 'read' && (count === 'planned' || count === 'estimated')
  const result = plan.kind === 'read' ? read : renderResult(plan, plan.read)
  const rows = plan.kind === 'read' ? RESULT : page
  const from = readsRowsTwice(plan) ? ROWS : rows
  const twice = readsRowsTwice(plan) ? sql`, ${ROWS} as (select * from ${rows} as "_")` : sql``
  // Postgres drops unread columns, so without `materialized` it would not call the function.
  const kept = plan.kind === 'call' && plan.bodyless ? sql`materialized ` : sql``
  const statement = sql`with ${RESULT} as ${kept}(${result})${twice}${counted} select ${columns} from ${from} as ${PAGE}`
  const { explain } = plan.media
  return {
    main: explain ? sql`${renderExplain(explain)}${statement}` : statement,
    explain: planned && !explain ? sql`explain (format json) ${renderCount(plan.read)}` : undefined,
  }
}

function renderExplain({ format, options }: NonNullable<DatabasePlan['media']['explain']>): SqlFragment {
  return sql.trusted(`explain (${[`format ${format}`, ...options].join(', ')}) `)
}

function renderResult(plan: Exclude<DatabasePlan, { readonly kind: 'read' }>, read: ReadPlan): SqlFragment {
  return plan.kind === 'write' ? renderWrite(plan.write) : renderCall(plan.call, read)
}

/** Renders the key of the single inserted row: `[["id","7"]]`. */
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
