import { useRecords } from '@holdfast/react'
import { Link } from '@tanstack/react-router'
import { type JSX, useMemo } from 'react'
import { ChoiceChip } from '../../../components/fields/choice-chip.tsx'
import { cx } from '../../../lib/cx.ts'
import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { isAlignedRight } from '../../../lib/fields/field-kind.ts'
import { formatValue } from '../../../lib/fields/format-value.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import { sortKeySql } from '../../../lib/fields/sort-key-sql.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { quoteName, type SqlPart } from '../../../lib/sql.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { searchOf } from '../charts/mark-link.tsx'
import { tileWhereSql, type TileQuery, type TileRows } from '../data/tile-sql.ts'
import { TILE_PAUSE_MS } from '../data/use-tile.ts'
import { Figures, type ShownTile } from './shown-tile.tsx'

/** Records of a table tile, and of one that fills the page. */
const ROWS_MAX = 20
const ROWS_ALONE_MAX = 200
/** Columns where the tile names none. */
const OWN_COLUMNS = 4

type ListedRow = Readonly<Record<string, FieldValue>> & { readonly '#id': string; readonly '#all': number }

/** The first records of a filter, in an order. */
export function TableTile({
  tile,
  query,
  table,
  fields,
  workspace,
  title,
  isSeen,
  isAlone,
  onFigures,
}: ShownTile & { readonly query: TileQuery }): JSX.Element {
  const columns = useMemo(() => columnsOf(tile.fields, fields), [tile.fields, fields])
  const asked = listSql(query, columns, tile.sort, isAlone ? ROWS_ALONE_MAX : ROWS_MAX)
  const { rows, isLoading, error } = useRecords<ListedRow>(isSeen ? asked.text : '', isSeen ? asked.values : [], {
    throttleMs: TILE_PAUSE_MS,
  })
  const all = rows[0]?.['#all'] ?? 0
  const textOf = (row: ListedRow, field: Field): string =>
    formatValue(field, row[field.name] ?? null, row[`@${field.name}`])
  const figures = [columns.map(({ label }) => label), ...rows.map((row) => columns.map((field) => textOf(row, field)))]
  return (
    <Figures {...{ error, figures, onFigures }} isEmpty={rows.length === 0} isLoading={isLoading && rows.length === 0}>
      <div
        role="region"
        aria-label={title}
        tabIndex={0}
        className="focus-inset min-h-0 flex-1 overflow-auto print:overflow-visible"
      >
        <Records {...{ columns, rows, workspace }} table={table.name} textOf={textOf} />
      </div>
      {all > rows.length ? (
        <p className="pt-2 text-small text-muted">
          <Link
            to="/w/$ws/t/$table"
            params={{ ws: workspace, table: table.name }}
            search={searchOf(query.filter)}
            preload={false}
            className="text-muted hover:text-text"
          >
            {words.recordsOf(rows.length, all)}
          </Link>
        </p>
      ) : null}
    </Figures>
  )
}

function Records({
  columns,
  rows,
  workspace,
  table,
  textOf,
}: {
  readonly columns: readonly Field[]
  readonly rows: readonly ListedRow[]
  readonly workspace: string
  readonly table: string
  readonly textOf: (row: ListedRow, field: Field) => string
}): JSX.Element {
  return (
    <table className="w-full border-collapse text-small">
      <thead>
        <tr>
          {columns.map((field) => (
            <th
              key={field.name}
              scope="col"
              className={cx(
                'sticky top-0 bg-raised py-1 pr-3 font-medium whitespace-nowrap text-muted',
                isAlignedRight(field.kind) ? 'text-right' : 'text-left',
              )}
            >
              {field.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row['#id']} className="border-t border-border">
            {columns.map((field, index) => (
              <td
                key={field.name}
                className={cx(
                  'max-w-64 truncate py-1.5 pr-3',
                  isAlignedRight(field.kind) && 'text-right whitespace-nowrap tabular-nums',
                )}
              >
                {index === 0 ? (
                  <Link
                    to="/w/$ws/t/$table/r/$record"
                    params={{ ws: workspace, table, record: row['#id'] }}
                    className="rounded-sm text-text no-underline hover:underline"
                  >
                    {textOf(row, field) || words.noValue}
                  </Link>
                ) : field.kind === 'choice' && row[field.name] != null ? (
                  <ChoiceChip choice={String(row[field.name])} among={field.choices} words={field.choiceWords} />
                ) : (
                  textOf(row, field)
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Returns the columns that are there: the tile's, else the title and the first others. */
export function columnsOf(names: readonly string[] | undefined, fields: readonly Field[]): readonly Field[] {
  const own = (names ?? []).flatMap((name) => fields.find((field) => field.name === name) ?? [])
  if (own.length > 0) return own
  return fields
    .filter(({ isSystem, kind }) => !isSystem && !['long_text', 'json', 'binary', 'uuid'].includes(kind))
    .slice(0, OWN_COLUMNS)
}

function listSql(query: TileRows, columns: readonly Field[], sort: string | undefined, limit: number): SqlPart {
  const where = tileWhereSql(query)
  const isDescending = sort?.startsWith('-') === true
  const by = query.fields.find(({ name }) => name === sort?.replace(/^-/, ''))
  const order = by
    ? `${sortKeySql(by, `t.${quoteName(by.name)}`)} ${isDescending ? 'desc' : 'asc'} nulls last, t.id`
    : 't.id'
  const shown = columns.flatMap((field) => {
    const column = `t.${quoteName(field.name)}`
    const label =
      field.link?.titleColumn === undefined ? [] : [`${labelSql(field, column)} as ${quoteName(`@${field.name}`)}`]
    return [`${column} as ${quoteName(field.name)}`, ...label]
  })
  return {
    text: `select t.id as "#id", (select count(*) from ${tableSql(query)}${where.text}) as "#all", ${shown.join(', ')}
             from ${tableSql(query)}${where.text} order by ${order} limit ?`,
    values: [...where.values, ...where.values, limit],
  }
}
