import type { JSX } from 'react'
import { cx } from '../../../lib/cx.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import type { ChartProps } from './chart-props.ts'
import { Legend } from './legend.tsx'
import { markClass, stripes } from './mark-looks.ts'
import { MarkLink, moveBetweenMarks } from './mark-link.tsx'
import { exactScale, placeOn, type Scale, segmentsOf, stackEnds } from './scale.ts'

/** Share of the scale in percent from which a part has a gap beside it; a thinner one would vanish in it. */
const GAP_FROM = 2

/** Bars for categories: one below the other, so that long names have room. */
export function RowsChart(props: ChartProps): JSX.Element {
  const { data, format } = props
  // The rest may be many times any group, and would leave the others no length.
  const measured = data.cells.filter((_, index) => data.groups[index]?.kind !== 'rest')
  const scale = exactScale(measured.flatMap((cells) => stackEnds(cells.map(({ value }) => value))))
  const isStacked = data.parts.length > 1 || data.parts[0]?.id !== ''
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {/* Arrow keys move between bars. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        className="grid min-h-0 flex-1 auto-rows-[minmax(1.5rem,2.5rem)] content-start overflow-auto print:overflow-visible"
        onKeyDown={moveBetweenMarks}
      >
        {data.groups.map((group, index) => {
          const cells = data.cells[index] ?? []
          const total = totalOf(cells.map(({ value }) => value))
          const row = { ...props, index, scale }
          return (
            <div key={group.id} className="grid grid-cols-[minmax(4rem,32%)_1fr_auto] items-center gap-2">
              <span
                title={group.label}
                className={cx('truncate text-small', group.kind === 'value' ? 'text-text' : 'text-muted italic')}
              >
                {group.label}
              </span>
              {group.kind === 'rest' ? (
                <Rest {...row} total={total} />
              ) : isStacked ? (
                <Segments {...row} />
              ) : (
                <Bar {...row} />
              )}
              <span aria-hidden className="min-w-8 text-right text-small tabular-nums">
                {format(isStacked ? total : (cells[0]?.value ?? null))}
              </span>
            </div>
          )
        })}
      </div>
      {isStacked ? <Legend parts={data.parts} /> : null}
    </div>
  )
}

type RowProps = ChartProps & { readonly index: number; readonly scale: Scale }

/** The rest has no bar: it is no group to compare with. */
function Rest({
  data,
  format,
  linkOf,
  workspace,
  table,
  index,
  total,
}: RowProps & { readonly total: number | null }): JSX.Element {
  const group = data.groups[index]
  if (!group) return <span />
  return (
    <MarkLink
      {...{ workspace, table }}
      filter={linkOf(group)}
      label={`${group.label}: ${format(total)}`}
      className="block h-5 rounded-sm text-small text-muted no-underline hover:bg-hover"
    >
      {words.hiddenGroups(data.hidden)}
    </MarkLink>
  )
}

function Bar({ data, format, linkOf, workspace, table, index, scale }: RowProps): JSX.Element {
  const group = data.groups[index]
  const cell = data.cells[index]?.[0]
  const [segment] = segmentsOf(scale, [cell?.value ?? null])
  if (!group) return <span />
  return (
    <MarkLink
      {...{ workspace, table }}
      filter={linkOf(group)}
      label={`${group.label}: ${format(cell?.value ?? null)}`}
      isFirst={index === 0}
      className="group relative block h-full max-h-7 min-h-5 rounded-sm hover:bg-hover"
    >
      <Zero scale={scale} />
      <span
        className={cx(
          'absolute inset-y-0.5 min-w-px rounded-[3px] transition-[width,left] group-hover:opacity-85',
          markClass(group.colour),
        )}
        style={{ left: `${segment?.start ?? 0}%`, width: `${segment?.length ?? 0}%` }}
      />
    </MarkLink>
  )
}

function Segments({ data, format, linkOf, workspace, table, index, scale }: RowProps): JSX.Element {
  const group = data.groups[index]
  const cells = data.cells[index] ?? []
  const segments = segmentsOf(
    scale,
    cells.map(({ value }) => value),
  )
  if (!group) return <span />
  return (
    <div className="relative h-full max-h-7 min-h-5">
      <Zero scale={scale} />
      {segments.map(({ start, length }, part) => {
        const of = data.parts[part]
        if (!of || length === 0) return null
        const label = `${group.label}, ${of.label}: ${format(cells[part]?.value ?? null)}`
        return (
          <MarkLink
            key={of.id}
            {...{ workspace, table, label }}
            filter={linkOf(group, of)}
            isFirst={index === 0 && segments.findIndex((one) => one.length > 0) === part}
            className={cx('absolute inset-y-0.5 hover:opacity-85', length > GAP_FROM && 'border-r border-bg')}
            style={{ left: `${start}%`, width: `${length}%` }}
          >
            <span title={label} className={cx('block h-full', markClass(of.colour))} style={stripes(part)} />
          </MarkLink>
        )
      })}
    </div>
  )
}

function Zero({ scale }: { readonly scale: Scale }): JSX.Element | null {
  if (scale.from === 0) return null
  return <span aria-hidden className="absolute inset-y-0 w-px bg-control" style={{ left: `${placeOn(scale, 0)}%` }} />
}

/** Adds values; NULL where all are. */
export function totalOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value): value is number => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}
