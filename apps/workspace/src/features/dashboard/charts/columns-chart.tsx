import { type JSX, useRef, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import type { Group } from '../data/tile-data.ts'
import { useSize } from '../../../hooks/use-size.ts'
import type { ChartProps } from './chart-props.ts'
import { Legend } from './legend.tsx'
import { DASHES, inkClass, markClass, stripes } from './mark-looks.ts'
import { MarkLink, moveBetweenMarks } from './mark-link.tsx'
import { totalOf } from './rows-chart.tsx'
import { placeOn, type Scale, scaleOf, segmentsOf, stackEnds } from './scale.ts'

/** Width in pixels that the name of a column takes. */
const TICK_PX = 56

/** Columns or lines over an axis from left to right, for time. */
export function ColumnsChart(props: ChartProps & { readonly isLine: boolean }): JSX.Element {
  const { data, isLine, formatTick } = props
  const values = data.cells.map((cells) => cells.map(({ value }) => value))
  const scale = scaleOf(isLine ? values.flat() : values.flatMap(stackEnds))
  const plot = useRef<HTMLDivElement>(null)
  const width = useSize(plot)?.width ?? 400
  const [reached, setReached] = useState<number>()
  const every = Math.max(1, Math.ceil((data.groups.length * TICK_PX) / width))
  const isStacked = data.parts.length > 1 || data.parts[0]?.id !== ''
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <p aria-hidden className="h-4 truncate text-right text-small text-muted tabular-nums print:hidden">
        {reached === undefined ? '' : readoutOf(props, reached)}
      </p>
      <div className="relative mt-1 flex min-h-24 flex-1 pb-5">
        <div aria-hidden className="relative w-10 shrink-0">
          {scale.ticks.map((tick) => (
            <span
              key={tick}
              className="absolute right-2 translate-y-1/2 text-small text-muted tabular-nums"
              style={{ bottom: `${placeOn(scale, tick)}%` }}
            >
              {formatTick(tick)}
            </span>
          ))}
        </div>
        {/* Arrow keys move between columns. */}
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
        <div ref={plot} className="relative flex min-w-0 flex-1" onKeyDown={moveBetweenMarks}>
          <GridLines scale={scale} />
          {isLine ? <Lines {...props} scale={scale} /> : null}
          {data.groups.map((group, index) => (
            <Column key={group.id} {...props} {...{ group, index, scale }} onReach={setReached}>
              {index % every === 0 ? group.tick : undefined}
            </Column>
          ))}
        </div>
      </div>
      {isStacked ? <Legend parts={data.parts} isLine={isLine} /> : null}
    </div>
  )
}

function readoutOf({ data, format }: ChartProps, index: number): string {
  const cells = data.cells[index] ?? []
  const label = data.groups[index]?.label ?? ''
  const [first] = data.parts
  if (data.parts.length === 1 && first?.id === '') return `${label}: ${format(cells[0]?.value ?? null)}`
  const parts = data.parts.flatMap((part, at) => {
    const value = cells[at]?.value ?? null
    return value === null || value === 0 ? [] : [`${part.label} ${format(value)}`]
  })
  return [label, ...parts].join(' · ')
}

function GridLines({ scale }: { readonly scale: Scale }): JSX.Element {
  return (
    <>
      {scale.ticks.map((tick) => (
        <span
          key={tick}
          aria-hidden
          className={cx('pointer-events-none absolute inset-x-0 h-px', tick === 0 ? 'bg-control' : 'bg-border')}
          style={{ bottom: `${placeOn(scale, tick)}%` }}
        />
      ))}
    </>
  )
}

function Column({
  data,
  format,
  linkOf,
  workspace,
  table,
  isLine,
  group,
  index,
  scale,
  onReach,
  children,
}: ChartProps & {
  readonly isLine: boolean
  readonly group: Group
  readonly index: number
  readonly scale: Scale
  readonly onReach: (index: number | undefined) => void
  readonly children: string | undefined
}): JSX.Element {
  const cells = data.cells[index] ?? []
  const values = cells.map(({ value }) => value)
  const whole = cells.length === 1 ? (values[0] ?? null) : totalOf(values)
  return (
    <div className="relative min-w-0 flex-1">
      <MarkLink
        {...{ workspace, table }}
        filter={linkOf(group)}
        label={`${group.label}: ${format(whole)}`}
        isFirst={index === 0}
        className="absolute inset-0 block hover:bg-hover"
        onReach={() => onReach(index)}
        onLeave={() => onReach(undefined)}
      >
        {isLine
          ? values.map((value, part) =>
              value === null ? null : (
                <span
                  key={data.parts[part]?.id}
                  className={cx(
                    'absolute left-1/2 size-1.5 -translate-x-1/2 translate-y-1/2 rounded-full',
                    markClass(data.parts[part]?.colour ?? 'blue'),
                    data.groups.length > 60 && 'opacity-0',
                  )}
                  style={{ bottom: `${placeOn(scale, value)}%` }}
                />
              ),
            )
          : segmentsOf(scale, values).map(({ start, length }, part) => {
              const of = data.parts[part]
              if (!of || length === 0) return null
              return (
                <span
                  key={of.id}
                  className={cx(
                    'absolute inset-x-[12%] border-t border-bg',
                    markClass(of.id === '' ? group.colour : of.colour),
                  )}
                  style={{ bottom: `${start}%`, height: `${length}%`, ...stripes(of.id === '' ? 0 : part) }}
                />
              )
            })}
      </MarkLink>
      {children === undefined ? null : (
        <span
          aria-hidden
          className="absolute top-full left-1/2 mt-1 -translate-x-1/2 text-small whitespace-nowrap text-muted"
        >
          {children}
        </span>
      )}
    </div>
  )
}

/** A line per part; it breaks where there is no value. */
function Lines({ data, scale }: ChartProps & { readonly scale: Scale }): JSX.Element {
  const count = data.groups.length
  return (
    <svg
      aria-hidden
      data-chart=""
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      className="pointer-events-none absolute inset-0 size-full overflow-visible"
    >
      {data.parts.map((part, at) => (
        <path
          key={part.id}
          d={pathOf(
            data.cells.map((cells, index) => {
              const value = cells[at]?.value ?? null
              return value === null ? undefined : [((index + 0.5) / count) * 100, 100 - placeOn(scale, value)]
            }),
          )}
          className={inkClass(part.colour)}
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeLinejoin="round"
          strokeDasharray={DASHES[at % DASHES.length]}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  )
}

function pathOf(points: readonly (readonly [number, number] | readonly number[] | undefined)[]): string {
  let isDrawing = false
  return points
    .flatMap((point) => {
      if (!point) {
        isDrawing = false
        return []
      }
      const command = isDrawing ? 'L' : 'M'
      isDrawing = true
      return [`${command}${point.map((one) => one.toFixed(2)).join(' ')}`]
    })
    .join('')
}
