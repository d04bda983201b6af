import { sql, type SqlFragment } from '@holdfast/postgres'
import type { WritePlan } from '../plan/plan.ts'
import { renderCondition } from './render-filter.ts'
import { BODY, renderPayload } from './render-payload.ts'
import { renderWhere } from './render-read.ts'

/** Transaction setting that counts the rows of an upsert that were inserted rather than updated. */
export const INSERTED_SETTING = 'rest.inserted'

/** Renders a write that returns what the plan needs, or `1` per row. */
export function renderWrite(write: WritePlan): SqlFragment {
  const target = sql.identifier(write.schema, write.name)
  const returning = sql` returning ${renderReturning(write)}`
  const conditions = renderWhere(write.where.map((condition) => renderCondition(condition)))
  switch (write.kind) {
    case 'delete':
      return sql`delete from ${target}${conditions}${returning}`
    case 'update': {
      const { columns } = write
      if (columns.length === 0) {
        // With nothing to set, no row is changed, but the result has the selected columns.
        return sql`select ${renderReturning(write)} from ${target} where false`
      }
      const sets = columns.map(({ name }) => sql`${sql.identifier(name)} = ${BODY}.${sql.identifier(name)}`)
      const payload = renderPayload({ ...write, single: true })
      return sql`update ${target} set ${sql.join(sets)} from ${payload}${conditions}${returning}`
    }
    case 'insert':
      return renderInsert(write, target, returning)
  }
}

function renderInsert(
  write: Extract<WritePlan, { readonly kind: 'insert' }>,
  target: SqlFragment,
  returning: SqlFragment,
): SqlFragment {
  const { columns, conflict, countInserted } = write
  const names = columns.map(({ name }) => sql.identifier(name))
  const list = columns.length === 0 ? sql`` : sql` (${sql.join(names)})`
  const values = sql.join(names.map((name) => sql`${BODY}.${name}`))
  const conditions = renderWhere([
    ...(countInserted ? [renderStep('+ 1', '0')] : []),
    ...write.where.map((condition) => renderCondition(condition)),
  ])
  const payload = renderPayload({ ...write, single: false })
  return sql`insert into ${target}${list} select ${values} from ${payload}${conditions}${
    conflict ? renderConflict(conflict, names, countInserted) : sql``
  }${returning}`
}

function renderConflict(
  conflict: { readonly action: 'merge' | 'ignore'; readonly columns: readonly string[] },
  names: readonly SqlFragment[],
  countInserted: boolean,
): SqlFragment {
  const target = sql.join(conflict.columns.map((name) => sql.identifier(name)))
  if (conflict.action === 'ignore' || names.length === 0) return sql` on conflict (${target}) do nothing`
  const sets = sql.join(names.map((name) => sql`${name} = excluded.${name}`))
  const counted = countInserted ? sql` where ${renderStep('- 1', '-1')}` : sql``
  return sql` on conflict (${target}) do update set ${sets}${counted}`
}

/** Renders an always-true condition: each candidate row increments the counter, and an updated one decrements it again. */
function renderStep(change: '+ 1' | '- 1', never: string): SqlFragment {
  const current = `coalesce(nullif(current_setting('${INSERTED_SETTING}', true), '')::int, 0)`
  return sql.trusted(`set_config('${INSERTED_SETTING}', (${current} ${change})::text, true) <> '${never}'`)
}

function renderReturning({ schema, name, returning }: WritePlan): SqlFragment {
  if (returning.length === 0) return sql`1`
  return sql.join(
    returning.map((column) =>
      column === '*' ? sql`${sql.identifier(schema, name)}.*` : sql.identifier(schema, name, column),
    ),
  )
}
