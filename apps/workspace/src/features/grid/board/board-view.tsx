import { useRecords } from '@holdfast/react'
import { type JSX, useMemo, useRef, useState } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Select } from '../../../components/select.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { choiceWords } from '../../../lib/fields/format-value.ts'
import { boardMessages as words } from '../../../messages/board.ts'
import { fieldMessages } from '../../../messages/fields.ts'
import type { KindProps } from '../kind-props.ts'
import { useSearchedQuery } from '../use-searched-query.ts'
import { BoardLane } from './board-lane.tsx'
import { laneFieldOf, laneFields, type LaneRow, lanesOf, lanesSql } from './lane-sql.ts'
import { useBoard } from './use-board.ts'

/** Limit of lanes; a link to a large table would have thousands. */
const LANES_MAX = 60
const LANES_THROTTLE_MS = 200

/** The records of a view in lanes, one per value of a field. */
export function BoardView(props: KindProps): JSX.Element {
  const { fields, view } = props
  const field = laneFieldOf(fields, view.settings.lane)
  if (!field) return <EmptyState title={words.noLanes}>{words.noLanesDetail}</EmptyState>
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 px-3 pt-2">
        <Select
          label={words.lanesBy}
          isLabelHidden
          className="w-48"
          value={field.name}
          options={laneFields(fields).map(({ name, label }) => ({ value: name, label: `${words.lanesBy} ${label}` }))}
          onChange={(name) => view.set('lane', name)}
        />
      </div>
      <Lanes key={field.name} {...props} field={field} />
    </div>
  )
}

function Lanes({ table, view, marks, writer, field }: KindProps & { readonly field: Field }): JSX.Element {
  const query = useSearchedQuery(view.query)
  const asked = lanesSql(query, field)
  const { rows, isLoading } = useRecords<LaneRow>(asked.text, asked.values, { throttleMs: LANES_THROTTLE_MS })
  const all = useMemo(() => lanesOf(field, rows), [field, rows])
  const lanes = all.slice(0, LANES_MAX)
  const [said, say] = useState('')
  const element = useRef<HTMLDivElement>(null)
  const nameOf = (lane: LaneRow): string => laneName(field, lane)
  const board = useBoard({
    element,
    table,
    field,
    lanes,
    nameOf,
    writer,
    say,
    isRecordOpen: view.record !== undefined,
    onOpen: view.openRecord,
  })
  if (isLoading && rows.length === 0) return <div className="min-h-0 flex-1" />
  return (
    <>
      <p className="sr-only" id="board-keys">
        {words.keys}
      </p>
      <p className="sr-only" role="status" aria-live="polite">
        {said}
      </p>
      {all.length > lanes.length ? (
        <p className="px-3 pt-2 text-small text-muted">{words.lanesMany(lanes.length, all.length)}</p>
      ) : null}
      <div
        ref={element}
        role="group"
        aria-label={words.boardOf(table.label)}
        aria-describedby="board-keys"
        // Without cards, nothing inside can be focused to scroll to the other lanes.
        tabIndex={0}
        className="focus-inset flex min-h-0 flex-1 snap-x snap-proximity scroll-px-3 gap-3 overflow-x-auto overscroll-contain p-3"
        {...board.handlers}
      >
        {lanes.map((lane, index) => (
          <BoardLane
            key={String(lane.value)}
            {...{ table, view, query, field, lane, marks, board, index }}
            name={nameOf(lane)}
          />
        ))}
      </div>
    </>
  )
}

function laneName(field: Field, { value, label }: LaneRow): string {
  if (value === null) return words.noValue
  if (field.kind === 'boolean') return value === 0 ? fieldMessages.no : fieldMessages.yes
  if (field.kind === 'link') return label ?? String(value).slice(0, 8)
  return choiceWords(String(value), field.choiceWords)
}
