import { ChevronDown, ChevronRight } from 'lucide-react'
import type { JSX } from 'react'
import { Avatar } from '../../../components/avatar.tsx'
import { ChoiceChip } from '../../../components/fields/choice-chip.tsx'
import { cx } from '../../../lib/cx.ts'
import { isPerson } from '../../../lib/fields/field.ts'
import { formatCount } from '../../../lib/format.ts'
import { groupMessages as words } from '../../../messages/groups.ts'
import type { GroupItemProps, GroupRowProps } from '../grid-dress.ts'
import { GUTTER_PX } from '../grid-layout.ts'
import type { RowGroup } from '../row-groups.ts'

/** Indentation per level. */
const INDENT_PX = 20

/** A group header in the grid: its value, number of records and aggregates. */
export function GroupRow(props: GroupRowProps): JSX.Element {
  const { table, group, index, columns, drawn, height, width, isActive } = props
  const { subtotals } = group
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={group.level}
      aria-expanded={group.isExpanded}
      data-row={index}
      className={cx('absolute top-0 left-0 flex bg-surface', isActive && 'z-[1]')}
      style={{ height, width: width + GUTTER_PX, transform: `translateY(${index * height}px)` }}
    >
      <div
        role="gridcell"
        aria-colindex={1}
        aria-colspan={2}
        aria-label={words.header(group.field.label, group.text, group.records, table.noun, table.many)}
        data-column={0}
        tabIndex={isActive ? 0 : -1}
        data-active={isActive || undefined}
        onClick={() => props.onToggle(group.key)}
        className={cx(
          'sticky left-0 z-[2] flex shrink-0 items-center gap-2 border-b border-border/70 bg-surface pr-2 text-grid whitespace-nowrap',
          isActive && 'shadow-none outline-2 -outline-offset-2 outline-focus',
        )}
        style={{
          paddingLeft: 12 + (group.level - 1) * INDENT_PX,
          width: subtotals.size === 0 ? undefined : GUTTER_PX + (columns[0]?.width ?? 0),
        }}
      >
        <GroupName group={group} />
      </div>
      <div aria-hidden className="absolute inset-x-0 bottom-0 border-b border-border/70" />
      {drawn.map((place) => {
        const column = columns[place]
        const text = column && subtotals.get(column.field.name)
        if (!column || text === undefined) return null
        return (
          <div
            key={column.field.name}
            role="gridcell"
            aria-colindex={place + 2}
            className={cx(
              'flex items-center justify-end px-2 text-grid font-medium tabular-nums',
              place === 0 ? 'sticky z-[3] ml-auto h-full' : 'absolute inset-y-0',
            )}
            style={place === 0 ? { right: 0 } : { left: GUTTER_PX + column.left, width: column.width }}
          >
            <span className="truncate">{text}</span>
          </div>
        )
      })}
    </div>
  )
}

/** A group header in a list. */
export function GroupItem({ table, group, onToggle }: GroupItemProps): JSX.Element {
  return (
    <button
      type="button"
      aria-expanded={group.isExpanded}
      aria-label={words.header(group.field.label, group.text, group.records, table.noun, table.many)}
      onClick={() => onToggle(group.key)}
      className="focus-inset flex h-full w-full items-center gap-2 bg-surface pr-4 text-left text-body active:bg-pressed"
      style={{ paddingLeft: 16 + (group.level - 1) * INDENT_PX }}
    >
      <GroupName group={group} />
    </button>
  )
}

function GroupName({ group }: { readonly group: RowGroup }): JSX.Element {
  const { field, value, text, isExpanded } = group
  return (
    <>
      {isExpanded ? <ChevronDown size={15} aria-hidden /> : <ChevronRight size={15} aria-hidden />}
      {field.kind === 'choice' && value !== null ? (
        <ChoiceChip choice={String(value)} among={field.choices} words={field.choiceWords} />
      ) : (
        <>
          {isPerson(field) && value !== null ? <Avatar name={text} size="sm" /> : null}
          <span className={cx('truncate font-medium', value === null && 'text-muted')}>{text}</span>
        </>
      )}
      <span className="text-small text-muted tabular-nums">{formatCount(group.records)}</span>
    </>
  )
}
