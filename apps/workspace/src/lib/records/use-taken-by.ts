import type { RejectedChange } from '@holdfast/client'
import { useRecords } from '@holdfast/react'
import { useFindTable } from '../data/use-tables.tsx'
import { formatFieldValue, type LocalValueOf } from '../fields/field-value.ts'
import { wordsOf } from '../data/column-words.ts'
import { quoteName } from '../sql.ts'
import { verdictMessages as words } from '../../messages/verdicts.ts'

type Values = Readonly<Record<string, LocalValueOf>>

/**
 * Says which other record has the same values, where no two may have them. The device knows only records that the user can see.
 *
 * @param values - by column; all of them are the same in the other record
 * @returns `undefined` if no record on this device has them
 */
export function useTakenBy(table: string, recordId: string, values: Values | undefined): string | undefined {
  const info = useFindTable()(table)
  const given = Object.entries(values ?? {})
  const columns = given.flatMap(([name]) => info?.descriptor.columns.find((column) => column.name === name) ?? [])
  const isAsked = info !== undefined && given.length > 0 && columns.length === given.length
  const title = info?.titleColumn
  const { rows } = useRecords<{ readonly title: LocalValueOf }>(
    isAsked
      ? `select ${title === undefined ? 'null' : quoteName(title)} as title from ${quoteName(info.name)}
          where ${given.map(([name]) => `${quoteName(name)} = ?`).join(' and ')} and id <> ? limit 1`
      : '',
    isAsked ? [...given.map(([, value]) => value), recordId] : [],
  )
  const [other] = rows
  if (!isAsked || other === undefined) return undefined
  const said = columns.map(
    (column) => `${wordsOf(column).label} ${formatFieldValue(column, values?.[column.name]) ?? ''}`,
  )
  const isNamed = other.title !== null && other.title !== '' && title !== undefined && !(title in (values ?? {}))
  return words.takenBy(said.join(', '), isNamed ? String(other.title) : undefined)
}

/** Says which record has the values of a change that was rejected because they exist. */
export function useTakenWords({
  verdict,
  table,
  recordId,
  operations,
}: Pick<RejectedChange, 'verdict' | 'table' | 'recordId' | 'operations'>): string | undefined {
  const columns = verdict.status === 'error' && verdict.sqlstate === '23505' ? (verdict.columns ?? []) : []
  const own = operations.filter(({ type, id }) => type === table && id === recordId)
  const written = Object.assign({}, ...own.map(({ data }) => data ?? {})) as Values
  const given = columns.flatMap((column) => {
    const value = written[column]
    return value === undefined || value === null ? [] : [[column, value] as const]
  })
  return useTakenBy(table, recordId, given.length === columns.length ? Object.fromEntries(given) : undefined)
}
