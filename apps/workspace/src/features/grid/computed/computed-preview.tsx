import { useRecords } from '@holdfast/react'
import type { ComputedDefinition } from '@holdfast/protocol'
import { FormulaError } from '@holdfast/protocol'
import { type JSX, useMemo } from 'react'
import { useToday } from '../../../hooks/use-today.ts'
import { computedField } from '../../../lib/fields/compile-computed.ts'
import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { formatValue } from '../../../lib/fields/format-value.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { quoteName } from '../../../lib/sql.ts'
import { computedMessages as words } from '../../../messages/computed.ts'
import type { ComputedSources } from './computed-draft.ts'

const SHOWN = 3
/** Name of the previewed field; no column can have it. */
const NAME = '='

/** The values of a definition in the first records. */
export function ComputedPreview({
  definition,
  sources,
}: {
  readonly definition: ComputedDefinition
  readonly sources: ComputedSources
}): JSX.Element | null {
  const today = useToday()
  const field = useMemo(() => compile(definition, sources, today), [definition, sources, today])
  const { table } = sources
  const title = table.titleColumn === undefined ? 't.id' : `t.${quoteName(table.titleColumn)}`
  const { rows, isLoading, error } = useRecords<{
    readonly id: string
    readonly title: FieldValue
    readonly value: FieldValue
  }>(
    field instanceof FormulaError
      ? ''
      : `select t.id, ${title} as title, t.${quoteName(NAME)} as value from ${tableSql({ table: table.name, fields: [field] })} order by t.id limit ${SHOWN}`,
  )
  if (field instanceof FormulaError)
    return <p className="text-small text-danger">{words.problem(field.problem, field.message)}</p>
  return (
    <section aria-label={words.preview} className="flex flex-col gap-1 rounded-md bg-surface p-3">
      <h3 className="text-small font-medium text-muted">{words.preview}</h3>
      {error ? <p className="text-small text-danger">{error.message}</p> : null}
      {rows.length === 0 && !isLoading ? <p className="text-small text-muted">{words.noRecords}</p> : null}
      <dl className="flex flex-col gap-1">
        {rows.map((row) => (
          <div key={row.id} className="flex justify-between gap-4 text-body">
            <dt className="truncate text-muted">{row.title ?? words.empty}</dt>
            <dd className="truncate tabular-nums">
              {row.value === null ? <span className="text-muted">{words.empty}</span> : formatValue(field, row.value)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function compile(
  definition: ComputedDefinition,
  { table, schema, all }: ComputedSources,
  today: string,
): Field | FormulaError {
  const one = { table: table.descriptor.table, name: NAME, label: '', result: 'text' as const, definition }
  try {
    return computedField(one, { tables: schema.tables, fields: all, today, now: new Date() })
  } catch (error) {
    if (error instanceof FormulaError) return error
    throw error
  }
}
