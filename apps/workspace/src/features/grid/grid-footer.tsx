import type { JSX } from 'react'
import { IndexNote } from '../../components/index-note.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { cellsIn, rangeOf } from './selection.ts'
import { NO_SELECTION, useSelected, type ViewSelection } from './use-view-selection.ts'

export interface GridFooterProps {
  readonly table: TableInfo
  /** `undefined`: not counted yet. */
  readonly shown: number | undefined
  readonly total: number
  /** `undefined`: the view has no cell selection. */
  readonly selection: ViewSelection | undefined
  readonly marks: ReadonlyMap<string, RecordMark>
  readonly isSearched: boolean
}

/** Shows the number of records, of matches, of selected records and of those not on the server yet. */
export function GridFooter({ table, shown, total, selection, marks, isSearched }: GridFooterProps): JSX.Element {
  const cells = useSelected(selection ?? NO_SELECTION, (selected) => cellsIn(rangeOf(selected)))
  const states = [...marks.values()].map(({ state }) => state)
  const refused = states.filter((state) => state === 'rejected' || state === 'held').length
  const changed = states.length - refused - states.filter((state) => state === 'confirming').length
  const parts = [
    ...(shown === undefined ? [] : [words.count(shown, total, table.noun, table.many)]),
    ...(cells > 1 ? [words.selected(cells)] : []),
    ...(changed > 0 ? [words.changed(changed)] : []),
  ]
  return (
    <footer className="flex h-8 shrink-0 items-center gap-2 border-t border-border bg-surface px-3 text-small text-muted tabular-nums">
      <p aria-live="polite" className="truncate">
        {parts.join(' · ')}
      </p>
      {isSearched ? <IndexNote className="min-w-0 truncate" /> : null}
      {refused > 0 ? <p className="text-danger">{words.refused(refused)}</p> : null}
    </footer>
  )
}
