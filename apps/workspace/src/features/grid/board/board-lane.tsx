import { useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Avatar } from '../../../components/avatar.tsx'
import { Button } from '../../../components/button.tsx'
import { ChoiceChip } from '../../../components/fields/choice-chip.tsx'
import { cx } from '../../../lib/cx.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { type Field, isPerson } from '../../../lib/fields/field.ts'
import { useLateness } from '../../../hooks/use-lateness.ts'
import { formatCount } from '../../../lib/format.ts'
import { useRowPhotos } from '../../../lib/photos/use-row-photos.ts'
import type { RecordMark } from '../../../lib/records/record-state.ts'
import { boardMessages as words } from '../../../messages/board.ts'
import type { GridQuery } from '../query/grid-query.ts'
import type { GridView } from '../use-grid-view.ts'
import type { GridRow } from '../window-cache.ts'
import { BoardCard } from './board-card.tsx'
import { laneRowsSql, type LaneRow } from './lane-sql.ts'
import type { Board } from './use-board.ts'

/** Number of cards shown at first, and added with each step. */
const CARDS_STEP = 50
const CARDS_THROTTLE_MS = 100

/** One lane with its first cards. */
export function BoardLane({
  table,
  view,
  query,
  field,
  lane,
  name,
  index,
  marks,
  board,
}: {
  readonly table: TableInfo
  readonly view: GridView
  readonly query: GridQuery
  readonly field: Field
  readonly lane: LaneRow
  readonly name: string
  readonly index: number
  readonly marks: ReadonlyMap<string, RecordMark>
  readonly board: Board
}): JSX.Element {
  const [limit, setLimit] = useState(CARDS_STEP)
  const asked = laneRowsSql(query, field, lane.value, limit)
  const { rows } = useRecords<GridRow>(lane.rows === 0 ? '' : asked.text, asked.values, {
    throttleMs: CARDS_THROTTLE_MS,
  })
  const shown = lane.rows === 0 ? [] : rows
  const photos = useRowPhotos(table.name, (place) => shown[place]?.id, 0, shown.length)
  const left = lane.rows - shown.length
  const { fields, today } = view.query
  const lateIn = useLateness(fields, today)
  const refusal = board.refusalOf(index)
  return (
    <section
      aria-label={words.lane(name, lane.rows)}
      data-lane={index}
      className={cx(
        'flex max-h-full w-72 shrink-0 snap-start flex-col rounded-lg border bg-surface max-tablet:w-[82vw]',
        board.over === index && refusal === undefined ? 'border-accent' : 'border-border',
        board.dragged !== undefined && refusal !== undefined && 'opacity-55',
      )}
    >
      <h2 className="flex h-10 shrink-0 items-center gap-2 px-3 text-body">
        <LaneName {...{ field, lane, name }} />
        <span className="text-small text-muted tabular-nums">{formatCount(lane.rows)}</span>
      </h2>
      <ul className="flex min-h-16 flex-col gap-2 overflow-y-auto overscroll-contain px-2 pb-2">
        {shown.map((row, place) => (
          <li key={row.id}>
            <BoardCard
              {...{ row, field, board, place }}
              fields={view.shown}
              lane={index}
              late={lateIn(row)}
              mark={marks.get(row.id)}
              photos={photos.get(row.id)}
              isOpen={row.id === view.record}
            />
          </li>
        ))}
        {lane.rows === 0 ? (
          <li className="px-1 py-2 text-small text-muted">
            {board.canMove ? words.emptyLane : words.emptyLaneReadOnly}
          </li>
        ) : null}
        {left > 0 && shown.length > 0 ? (
          <li>
            <Button size="sm" tone="quiet" isFullWidth onPress={() => setLimit(limit + CARDS_STEP)}>
              {words.more(Math.min(left, CARDS_STEP))}
            </Button>
          </li>
        ) : null}
      </ul>
    </section>
  )
}

function LaneName({
  field,
  lane,
  name,
}: {
  readonly field: Field
  readonly lane: LaneRow
  readonly name: string
}): JSX.Element {
  if (field.kind === 'choice' && lane.value !== null)
    return <ChoiceChip choice={String(lane.value)} among={field.choices} words={field.choiceWords} />
  return (
    <>
      {isPerson(field) && lane.value !== null ? <Avatar name={name} size="sm" /> : null}
      <span className="truncate font-medium">{name}</span>
    </>
  )
}
