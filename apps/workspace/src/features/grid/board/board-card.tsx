import { ArrowRightLeft } from 'lucide-react'
import type { JSX } from 'react'
import { Avatar } from '../../../components/avatar.tsx'
import { LateFact } from '../../../components/fields/late-fact.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { RowThumbnails } from '../../../components/records/row-thumbnails.tsx'
import { RecordStateMark } from '../../../components/state-glyph.tsx'
import { cx } from '../../../lib/cx.ts'
import type { Field } from '../../../lib/fields/field.ts'
import type { RowPhotos } from '../../../lib/photos/use-row-photos.ts'
import { fileWords } from '../../../lib/records/file-words.ts'
import type { RecordMark } from '../../../lib/records/record-state.ts'
import { boardMessages as words } from '../../../messages/board.ts'
import { factsOf, titleOf } from '../record-words.ts'
import type { GridRow } from '../window-cache.ts'
import type { Board } from './use-board.ts'

/** Limit of facts below the title. */
const FACTS_MAX = 4

/** One record on a board: title, first facts, sync state and a menu that moves it. */
export function BoardCard({
  row,
  fields,
  field,
  lane,
  place,
  board,
  late,
  mark,
  photos,
  isOpen,
}: {
  readonly row: GridRow
  /** The view's visible fields in their order. */
  readonly fields: readonly Field[]
  /** The field whose values are the lanes. */
  readonly field: Field
  readonly lane: number
  readonly place: number
  readonly board: Board
  /** The field whose date has passed. */
  readonly late: string | undefined
  readonly mark: RecordMark | undefined
  readonly photos: RowPhotos | undefined
  readonly isOpen: boolean
}): JSX.Element {
  const title = titleOf(row, fields)
  const facts = factsOf(row, fields, [field], FACTS_MAX)
  const files = fileWords(mark)
  return (
    <article
      draggable={board.canMove}
      data-card={row.id}
      data-lane={lane}
      className={cx(
        'group/card relative rounded-md border bg-bg shadow-xs transition-colors',
        isOpen ? 'border-accent bg-accent-soft' : 'border-border hover:border-control',
        board.dragged === row.id && 'opacity-55',
      )}
    >
      <button
        type="button"
        data-open-card
        // Tab moves between lanes, arrow keys within one.
        tabIndex={board.active === row.id || place === 0 ? 0 : -1}
        onFocus={() => board.activate(row)}
        onClick={() => board.open(row.id)}
        className="flex w-full flex-col gap-1 rounded-md py-2 pr-10 pl-3 text-left"
      >
        <span className="line-clamp-2 text-body font-medium">{title}</span>
        {facts.length === 0 ? null : (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-small text-muted">
            {facts.map(({ name, label, text, isOfPerson }) => (
              <span key={name} className="inline-flex items-center gap-1">
                <span className="sr-only">{label}: </span>
                {isOfPerson ? <Avatar name={text} size="sm" /> : null}
                {name === late ? <LateFact text={text} /> : text}
              </span>
            ))}
          </span>
        )}
        {mark === undefined ? null : (
          <RecordStateMark state={mark.state} says={files?.text} percent={files?.percent} hasWord />
        )}
        {photos === undefined ? null : (
          <span className="-ml-2 flex pt-1">
            <RowThumbnails photos={photos} side={56} />
          </span>
        )}
      </button>
      {board.canMove ? <MoveMenu row={row} title={title} lane={lane} board={board} /> : null}
    </article>
  )
}

/** Lists the lanes that the card can move to. Lanes that policies are known to refuse are marked. */
function MoveMenu({
  row,
  title,
  lane,
  board,
}: {
  readonly row: GridRow
  readonly title: string
  readonly lane: number
  readonly board: Board
}): JSX.Element {
  const refusals = board.lanes.map((_, index) => (index === lane ? undefined : board.refusalOf(index)))
  return (
    <span className="absolute top-1 right-1">
      <MenuTrigger
        isOpen={board.menu === row.id}
        onOpenChange={(isMenuOpen) => board.openMenu(isMenuOpen ? row : undefined)}
      >
        <IconButton
          label={words.move(title)}
          size="sm"
          icon={<ArrowRightLeft size={15} aria-hidden />}
          excludeFromTabOrder={board.active !== row.id}
        />
        <Menu
          label={words.moveTo}
          disabledKeys={refusals.flatMap((refusal, index) => (index === lane || refusal !== undefined ? [index] : []))}
          onAction={(key) => board.move(row, title, Number(key))}
        >
          {board.lanes.map(({ value, name }, index) => (
            <MenuItem key={String(value)} id={index} detail={refusals[index]}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      </MenuTrigger>
    </span>
  )
}
