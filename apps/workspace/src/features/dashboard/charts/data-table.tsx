import type { JSX } from 'react'
import type { ChartData } from '../data/tile-data.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'

/** The figures behind a chart, as rows of text: a head, then a row per group. */
export function figuresOf(
  data: ChartData,
  groupLabel: string,
  measureLabel: string,
  format: (value: number | null) => string,
): readonly (readonly string[])[] {
  const isStacked = data.parts.length > 1 || data.parts[0]?.id !== ''
  const head = isStacked ? [groupLabel, ...data.parts.map(({ label }) => label)] : [groupLabel, measureLabel]
  return [
    head,
    ...data.groups.map(({ label }, index) => [label, ...(data.cells[index] ?? []).map(({ value }) => format(value))]),
  ]
}

/** A table of figures: for screen readers behind a chart, or in its place. */
export function DataTable({
  caption,
  rows,
  isHidden,
}: {
  readonly caption: string
  readonly rows: readonly (readonly string[])[]
  readonly isHidden: boolean
}): JSX.Element {
  const [head = [], ...body] = rows
  return (
    <div
      className={isHidden ? 'sr-only' : 'min-h-0 flex-1 overflow-auto print:overflow-visible'}
      {...(isHidden ? {} : { tabIndex: 0, role: 'region', 'aria-label': words.figures(caption) })}
    >
      <table className="w-full border-collapse text-small tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {head.map((text, index) => (
              <th
                key={index}
                scope="col"
                className={
                  index === 0
                    ? 'sticky top-0 bg-raised py-1 pr-3 text-left font-medium'
                    : 'sticky top-0 bg-raised py-1 pl-3 text-right font-medium'
                }
              >
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((cells, row) => (
            <tr key={row} className="border-t border-border">
              {cells.map((text, index) =>
                index === 0 ? (
                  <th key={index} scope="row" className="py-1 pr-3 text-left font-regular [overflow-wrap:anywhere]">
                    {text}
                  </th>
                ) : (
                  <td key={index} className="py-1 pl-3 text-right">
                    {text}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
