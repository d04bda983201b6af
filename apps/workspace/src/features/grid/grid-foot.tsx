import { useLocalDatabase } from '@holdfast/react'
import { type JSX, memo, useEffect, useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { useLatestCalls } from '../../hooks/use-latest-calls.ts'
import { cx } from '../../lib/cx.ts'
import type { Field } from '../../lib/fields/field.ts'
import { footMessages as words } from '../../messages/foot.ts'
import { GUTTER_PX, type GridColumn } from './grid-layout.ts'
import {
  type Aggregate,
  type AggregateRow,
  aggregatesOf,
  type ColumnAggregate,
  formatAggregate,
  parseAggregates,
  renderAggregates,
} from './query/aggregates.ts'
import { type GridQuery, tablesOfQuery } from './query/grid-query.ts'
import { calculateInSlices } from './query/sliced-aggregates.ts'
import type { RowWindows } from './row-windows.ts'

/** Delay in ms after a change of the view or its rows, so that the rows are read first. */
const AFTER_MS = 100
const CHANGE_THROTTLE_MS = 300

const NONE = 'none'

export interface GridFootProps {
  readonly query: GridQuery
  readonly windows: RowWindows | undefined
  readonly columns: readonly GridColumn[]
  readonly drawn: readonly number[]
  /** Number of columns frozen at the left. */
  readonly frozen: number
  /** The column aggregates, in URL form. */
  readonly text: string | undefined
  readonly onChange: (text: string | undefined) => void
}

/** Shows the aggregates over all matching records. Pressing a column's footer chooses its aggregate. */
export function GridFoot({ query, windows, columns, drawn, frozen, text, onChange }: GridFootProps): JSX.Element {
  const { fields } = query
  const aggregates = useMemo(() => parseAggregates(text, fields), [text, fields])
  const row = useCalculated(query, windows, aggregates)
  const { choose } = useLatestCalls({
    choose(field: Field, aggregate: Aggregate | undefined) {
      const others = aggregates.filter((one) => one.field !== field)
      onChange(renderAggregates(aggregate === undefined ? others : [...others, { field, aggregate }]))
    },
  })
  return (
    <>
      {drawn.map((place) => {
        const column = columns[place]
        if (!column) return null
        const { field } = column
        const index = aggregates.findIndex((one) => one.field === field)
        const chosen = aggregates[index]
        const isSticky = place < frozen
        return (
          <div
            key={field.name}
            role="gridcell"
            data-foot
            aria-colindex={place + 2}
            className={cx(
              'flex h-full border-r border-border/70 bg-surface',
              isSticky ? 'sticky z-[2] shrink-0' : 'absolute top-0',
            )}
            style={{ left: GUTTER_PX + column.left, width: column.width }}
          >
            <FootCell
              field={field}
              chosen={chosen?.aggregate}
              value={chosen && row ? formatAggregate(chosen, index, row) : ''}
              onChoose={choose}
            />
          </div>
        )
      })}
    </>
  )
}

/** Memoized because each cell has its own menu: it renders only when its own props change. */
const FootCell = memo(function FootCell({
  field,
  chosen,
  value,
  onChoose,
}: {
  readonly field: Field
  readonly chosen: Aggregate | undefined
  readonly value: string
  readonly onChoose: (field: Field, aggregate: Aggregate | undefined) => void
}): JSX.Element {
  return (
    <MenuTrigger>
      <Button
        aria-label={chosen ? words.of(words.aggregates[chosen], field.label, value) : words.calculateOf(field.label)}
        className="focus-inset group/foot flex min-w-0 flex-1 items-center justify-end gap-1.5 px-2 text-small text-muted data-hovered:bg-hover"
      >
        {chosen ? (
          <>
            <span className="truncate">{words.aggregates[chosen]}</span>
            <span className="text-grid font-medium text-text tabular-nums">{value}</span>
          </>
        ) : (
          <span className="truncate opacity-0 group-hover/foot:opacity-100 group-focus-visible/foot:opacity-100">
            {words.calculate}
          </span>
        )}
      </Button>
      <Menu
        label={words.calculateOf(field.label)}
        placement="top end"
        selectionMode="single"
        selectedKeys={[chosen ?? NONE]}
        disallowEmptySelection
        onSelectionChange={(keys) => {
          const [key] = keys === 'all' ? [] : [...keys]
          onChoose(
            field,
            aggregatesOf(field).find((one) => one === key),
          )
        }}
      >
        {[
          <MenuItem key={NONE} id={NONE}>
            {words.nothing}
          </MenuItem>,
          ...aggregatesOf(field).map((one) => (
            <MenuItem key={one} id={one}>
              {words.aggregates[one]}
            </MenuItem>
          )),
        ]}
      </Menu>
    </MenuTrigger>
  )
})

/**
 * Calculates aggregates in the local database after the visible rows have been read. Runs one calculation at a time; superseded ones are skipped or aborted.
 */
function useCalculated(
  query: GridQuery,
  windows: RowWindows | undefined,
  aggregates: readonly ColumnAggregate[],
): AggregateRow | undefined {
  const { database } = useLocalDatabase()
  const [answer, setAnswer] = useState<{ readonly of: readonly ColumnAggregate[]; readonly row: AggregateRow }>()
  // The rows belong to the local database.
  useEffect(() => {
    if (!windows || aggregates.length === 0) return
    let [isOver, isReading, isWanted] = [false, false, false]
    const read = async (): Promise<void> => {
      isWanted = true
      if (isReading) return
      isReading = true
      try {
        while (isWanted && !isOver) {
          isWanted = false
          const row = await calculateInSlices(
            (sqlOf) => windows.ask(sqlOf),
            aggregates,
            () => isOver,
          )
          if (row && !isOver) setAnswer({ of: aggregates, row })
        }
      } catch (error) {
        console.warn('The feet of the columns could not be calculated.', error)
      } finally {
        isReading = false
      }
    }
    const tables = [...tablesOfQuery(query)]
    const stop = database.onChange({ onChange: () => read() }, { tables, throttleMs: CHANGE_THROTTLE_MS })
    const timer = setTimeout(() => void read(), AFTER_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
      stop()
    }
  }, [database, windows, query, aggregates])
  return answer?.of === aggregates ? answer.row : undefined
}
