import { useLocalDatabase } from '@holdfast/react'
import { useParams } from '@tanstack/react-router'
import { type JSX, useEffect, useMemo, useState } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { LinkButton } from '../../../components/link.tsx'
import { PrintSheet } from '../../../components/print/print-sheet.tsx'
import { PrintTable } from '../../../components/print/print-table.tsx'
import { useToday } from '../../../hooks/use-today.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { useFields } from '../../../lib/fields/use-fields.ts'
import { filterWords, linkedIds } from '../../../lib/filters/filter-words.ts'
import { parseFilter } from '../../../lib/filters/filter-text.ts'
import { formatNames } from '../../../lib/format.ts'
import { quoteName } from '../../../lib/sql.ts'
import type { SavedView } from '../../../lib/views/use-views.ts'
import { type AddressSettings, mergeSettings } from '../../../lib/views/view-settings.ts'
import { printMessages as words } from '../../../messages/print.ts'
import { viewMessages } from '../../../messages/views.ts'
import { orderFields } from '../dress/view-looks.ts'
import { parseGroups } from '../groups/parse-groups.ts'
import { gridQueryOf } from '../query/grid-query-of.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { shownFields } from '../query/shown-fields.ts'
import type { Sort } from '../query/sort.ts'
import { PRINTED_MAX, type PrintedView, readPrintedView } from './printed-rows.ts'

/** More columns than this are printed across the long side. */
const PORTRAIT_COLUMNS = 5

/** A whole view as a document: all of its records, with its filter in words. */
export function PrintView({
  table,
  saved,
  address,
}: {
  readonly table: TableInfo
  /** `undefined`: all records of the table. */
  readonly saved: SavedView | undefined
  /** The unsaved settings and the search text of the URL. */
  readonly address: AddressSettings & { readonly q?: string | undefined }
}): JSX.Element {
  const today = useToday()
  const fields = useFields(table.descriptor, today)
  const settings = useMemo(() => mergeSettings(saved?.settings ?? {}, address), [saved, address])
  const shown = useMemo(() => orderFields(shownFields(fields, settings.hide), settings.order), [fields, settings])
  const groups = useMemo(() => parseGroups(settings.group ?? '', fields), [fields, settings])
  const query = useMemo(
    () =>
      gridQueryOf({
        table: table.name,
        fields,
        search: address.q ?? '',
        filter: parseFilter(settings.filter),
        sort: settings.sort,
        today,
      }),
    [table, fields, address.q, settings, today],
  )
  const { printed, progress, error } = usePrinted(query, groups, shown)
  const filter = useFilterWords(query)
  const left = printed?.kind === 'rows' ? shown.filter((field) => !printed.fields.includes(field)) : []
  const facts = [
    ...(printed?.kind === 'rows' ? [words.records(printed.records, table.noun, table.many)] : []),
    ...(filter === '' ? [] : [words.filter(filter)]),
    ...(query.search.trim() === '' ? [] : [words.search(query.search)]),
    ...(query.sorts.length === 0 ? [] : [words.sorted(sortWords(query))]),
    ...(left.length === 0 ? [] : [words.emptyFields(formatNames(left.map(({ label }) => label)))]),
  ]
  return (
    <PrintSheet
      title={saved ? `${table.label} – ${saved.name}` : viewMessages.all(table.many)}
      facts={facts}
      tables={[table]}
      orientation={shown.length > PORTRAIT_COLUMNS ? 'landscape' : 'portrait'}
      pending={printed || error ? undefined : words.preparing(progress.done, progress.total)}
    >
      <div className="pt-4">
        {error ? (
          <ErrorNotice error={error} />
        ) : printed?.kind === 'too_many' ? (
          <TooMany table={table} saved={saved} count={printed.count} />
        ) : printed?.records === 0 ? (
          <EmptyState title={words.noneTitle}>{words.none}</EmptyState>
        ) : printed ? (
          <PrintTable label={table.label} fields={printed.fields} rows={printed.rows} />
        ) : null}
      </div>
    </PrintSheet>
  )
}

function TooMany({
  table,
  saved,
  count,
}: {
  readonly table: TableInfo
  readonly saved: SavedView | undefined
  readonly count: number
}): JSX.Element {
  const ws = useParams({ strict: false }).ws ?? ''
  const params = { ws, table: table.name }
  return (
    <EmptyState
      title={words.tooManyTitle(count)}
      action={
        saved ? (
          <LinkButton to="/w/$ws/t/$table/v/$view" params={{ ...params, view: saved.id }}>
            {saved.name}
          </LinkButton>
        ) : (
          <LinkButton to="/w/$ws/t/$table" params={params}>
            {table.label}
          </LinkButton>
        )
      }
    >
      {words.tooMany(PRINTED_MAX)}
    </EmptyState>
  )
}

interface Printed {
  readonly printed: PrintedView | undefined
  readonly progress: { readonly done: number; readonly total: number }
  readonly error: Error | undefined
}

/** Reads the records once: a document does not change while it is looked at. */
function usePrinted(query: GridQuery, groups: readonly Sort[], fields: readonly Field[]): Printed {
  const { database } = useLocalDatabase()
  const [state, setState] = useState<Printed & { readonly of?: GridQuery }>(NOTHING)
  useEffect(() => {
    const abort = new AbortController()
    const show = (part: Partial<Printed>): void => {
      if (abort.signal.aborted) return
      setState((before) => ({ ...(before.of === query ? before : NOTHING), ...part, of: query }))
    }
    readPrintedView({
      database,
      query,
      groups,
      fields,
      signal: abort.signal,
      onProgress: (done, total) => show({ progress: { done, total } }),
    }).then(
      (printed) => show({ printed }),
      (error: unknown) => show({ error: error instanceof Error ? error : new Error(String(error)) }),
    )
    return () => abort.abort()
  }, [database, query, groups, fields])
  return state.of === query ? state : NOTHING
}

const NOTHING: Printed = { printed: undefined, progress: { done: 0, total: 0 }, error: undefined }

/** Returns the view's filter in words, with the titles of the records that it names. */
function useFilterWords({ filter, fields, today }: GridQuery): string {
  const { database } = useLocalDatabase()
  const [titles, setTitles] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    const read = async (): Promise<void> => {
      const found = new Map<string, string>()
      for (const [{ link }, ids] of linkedIds(filter, fields)) {
        if (link?.titleColumn === undefined) continue
        const rows = await database.getAll<{ readonly id: string; readonly title: string | null }>(
          `select id, ${quoteName(link.titleColumn)} as title from ${quoteName(link.table)} where id in (select value from json_each(?))`,
          [JSON.stringify(ids)],
        )
        for (const { id, title } of rows) if (title !== null) found.set(id, title)
      }
      setTitles(found)
    }
    read().catch((error: unknown) => console.warn('The filter is printed without the names of its records.', error))
  }, [database, filter, fields])
  return filterWords(filter, fields, { titles, today })
}

function sortWords({ sorts, fields }: GridQuery): string {
  return formatNames(
    sorts.flatMap(({ field: name, isDescending }) => {
      const field = fields.find((one) => one.name === name)
      return field ? [isDescending ? words.descending(field.label) : field.label] : []
    }),
  )
}
