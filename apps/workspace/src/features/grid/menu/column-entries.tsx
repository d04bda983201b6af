import { ArrowDown, ArrowUp, EyeOff, Filter, MoveHorizontal, Pin, PinOff, Rows3, X } from 'lucide-react'
import { showToast } from '../../../components/toast.tsx'
import { type FilterGroup, operatorsOf } from '../../../lib/filters/filter.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { filterMessages } from '../../../messages/filter.ts'
import { menuMessages as words } from '../../../messages/grid-menu.ts'
import { recordMessages } from '../../../messages/record.ts'
import { FROZEN_MAX } from '../dress/view-looks.ts'
import type { GridColumn } from '../grid-layout.ts'
import { canGroupBy, parseGroups } from '../groups/parse-groups.ts'
import { renderSorts } from '../query/sort.ts'
import type { GridMenuProps, MenuEntry, MenuForm } from './menu-entries.ts'

/** Returns the entries of a column's menu. */
export function columnEntries(
  props: GridMenuProps,
  column: GridColumn,
  openForm: (form: MenuForm) => void,
): readonly MenuEntry[] {
  const { view, grid, target, frozen, columnActions } = props
  const { field } = column
  const own = columnActions?.(grid.table, field) ?? []
  const count = target.column + 1
  return [
    ...sortEntries(props, field),
    {
      id: 'filter',
      label: words.filterBy,
      icon: <Filter size={16} aria-hidden />,
      isForm: true,
      run() {
        view.setFilter(withCondition(view.filter, field))
        openForm('filter')
      },
    },
    ...groupEntries(props, field),
    {
      id: 'freeze',
      label: words.freeze,
      icon: <Pin size={16} aria-hidden />,
      isDisabled: count > FROZEN_MAX || count === frozen,
      run: () => view.set('freeze', String(count)),
    },
    ...(frozen > 0
      ? [
          {
            id: 'unfreeze',
            label: words.unfreeze,
            icon: <PinOff size={16} aria-hidden />,
            run: () => view.set('freeze', '0'),
          },
        ]
      : []),
    {
      id: 'width',
      label: words.width,
      icon: <MoveHorizontal size={16} aria-hidden />,
      shortcut: 'Shift+→',
      isForm: true,
      run: () => openForm('width'),
    },
    {
      id: 'hide',
      label: words.hide,
      icon: <EyeOff size={16} aria-hidden />,
      isDisabled: view.shown.length === 1,
      isLast: own.length > 0,
      run() {
        view.toggle(field.name)
        const action = { label: recordMessages.undo, run: () => view.toggle(field.name) }
        showToast({ text: words.hidden(field.label), action })
      },
    },
    ...own,
  ]
}

function sortEntries({ view, grid: { onSort } }: GridMenuProps, field: Field): readonly MenuEntry[] {
  const isSorted = view.query.sorts.some((sort) => sort.field === field.name)
  return [
    {
      id: 'ascending',
      label: words.ascending,
      icon: <ArrowUp size={16} aria-hidden />,
      run: () => onSort([{ field: field.name, isDescending: false }]),
    },
    {
      id: 'descending',
      label: words.descending,
      icon: <ArrowDown size={16} aria-hidden />,
      isLast: !isSorted,
      run: () => onSort([{ field: field.name, isDescending: true }]),
    },
    ...(isSorted
      ? [
          {
            id: 'unsorted',
            label: filterMessages.clearSorts,
            icon: <X size={16} aria-hidden />,
            isLast: true,
            run: () => onSort([]),
          },
        ]
      : []),
  ]
}

function groupEntries({ view }: GridMenuProps, field: Field): readonly MenuEntry[] {
  if (!canGroupBy(field) || field.isTitle) return []
  const groups = parseGroups(view.settings.group ?? '', view.query.fields)
  const isGrouped = groups.some((group) => group.field === field.name)
  return [
    {
      id: 'group',
      label: isGrouped ? words.ungroup : words.groupBy,
      icon: <Rows3 size={16} aria-hidden />,
      isLast: true,
      run: () =>
        view.set(
          'group',
          isGrouped
            ? renderSorts(groups.filter((group) => group.field !== field.name))
            : renderSorts([{ field: field.name, isDescending: false }]),
        ),
    },
  ]
}

/** Adds a condition on the field, unless there is an incomplete one. */
function withCondition(filter: FilterGroup, field: Field): FilterGroup {
  const [operator = 'is'] = operatorsOf(field)
  const condition = { kind: 'condition' as const, field: field.name, operator, values: [] }
  return { ...filter, nodes: [...filter.nodes, condition] }
}
