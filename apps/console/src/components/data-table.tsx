import type { JSX, ReactNode } from 'react'

export interface TableColumn<Row> {
  readonly id: string
  readonly label: string
  readonly cell: (row: Row) => ReactNode
  readonly isNumber?: boolean
}

/** A table of a list: real rows and headers for screen readers, cards on phones. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  readonly label: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}): JSX.Element {
  return (
    <div className="overflow-x-auto rounded-lg border border-border bg-raised max-tablet:border-0 max-tablet:bg-transparent">
      <table
        aria-label={label}
        className="w-full border-collapse text-left text-grid max-tablet:block max-tablet:text-body"
      >
        <thead className="bg-surface text-small text-muted max-tablet:sr-only">
          <tr>
            {columns.map(({ id, label: heading, isNumber }) => (
              <th
                key={id}
                scope="col"
                className={`px-3 py-2 font-medium whitespace-nowrap ${isNumber ? 'text-right' : ''}`}
              >
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-border max-tablet:block max-tablet:space-y-3 max-tablet:divide-y-0">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="max-tablet:block max-tablet:rounded-lg max-tablet:border max-tablet:border-border max-tablet:bg-raised max-tablet:p-3"
            >
              {columns.map(({ id, label: heading, cell, isNumber }) => (
                <td
                  key={id}
                  data-label={heading}
                  className={`px-3 py-2 align-top [overflow-wrap:anywhere] max-tablet:flex max-tablet:gap-3 max-tablet:px-0 max-tablet:py-1 max-tablet:before:w-28 max-tablet:before:shrink-0 max-tablet:before:text-small max-tablet:before:text-muted max-tablet:before:content-[attr(data-label)] ${isNumber ? 'text-right tabular-nums max-tablet:text-left' : ''}`}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
