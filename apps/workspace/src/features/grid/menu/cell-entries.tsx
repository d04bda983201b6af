import {
  ArrowDownToLine,
  ChevronsDownUp,
  ChevronsUpDown,
  Copy,
  Eraser,
  ListChecks,
  PanelRightOpen,
  PencilLine,
  Trash2,
} from 'lucide-react'
import { modKey } from '../../../lib/shortcuts.ts'
import { groupMessages } from '../../../messages/groups.ts'
import { menuMessages as words } from '../../../messages/grid-menu.ts'
import { cellsIn, rangeOf } from '../selection.ts'
import type { GridMenuProps, MenuEntry } from './menu-entries.ts'

/** Returns the entries for the selected cells and their records, or for a group. */
export function cellEntries(props: GridMenuProps): readonly MenuEntry[] {
  const { grid, target, windows } = props
  const group = target.row === undefined ? undefined : windows?.groupAt(target.row)
  if (group) return groupEntries(props)
  const { edits, checks, activeRecordId, canUpdate, canDelete } = grid
  const range = rangeOf(grid.selection)
  const rows = range.lastRow - range.firstRow + 1
  const mod = modKey()
  const entries: readonly (MenuEntry | false)[] = [
    rows === 1 &&
      activeRecordId !== undefined && {
        id: 'open',
        label: words.open,
        icon: <PanelRightOpen size={16} aria-hidden />,
        shortcut: 'Space',
        run: () => grid.onOpenRecord(activeRecordId),
      },
    {
      id: 'select',
      label: words.select(rows),
      icon: <ListChecks size={16} aria-hidden />,
      shortcut: 'Shift+Space',
      isLast: true,
      run: () => checks.toggleRange(range.firstRow, range.lastRow),
    },
    canUpdate && {
      id: 'edit',
      label: words.edit(cellsIn(range)),
      icon: <PencilLine size={16} aria-hidden />,
      shortcut: 'Enter',
      run: () => grid.edit.start(undefined),
    },
    {
      id: 'copy',
      label: words.copy,
      icon: <Copy size={16} aria-hidden />,
      shortcut: `${mod}+C`,
      run: () => void edits.copy(range),
    },
    canUpdate && {
      id: 'fill',
      label: words.fill,
      icon: <ArrowDownToLine size={16} aria-hidden />,
      shortcut: `${mod}+D`,
      run: () => void edits.fillDown(range),
    },
    canUpdate && {
      id: 'clear',
      label: words.clear,
      icon: <Eraser size={16} aria-hidden />,
      shortcut: 'Delete',
      isLast: canDelete,
      run: () => void edits.clear(range),
    },
    canDelete && {
      id: 'delete',
      label: words.delete(rows),
      icon: <Trash2 size={16} aria-hidden />,
      isDanger: true,
      run: () => void edits.deleteRows(range),
    },
  ]
  return entries.filter((entry) => entry !== false)
}

function groupEntries({ windows }: GridMenuProps): readonly MenuEntry[] {
  return [
    {
      id: 'collapse',
      label: groupMessages.collapseAll,
      icon: <ChevronsDownUp size={16} aria-hidden />,
      shortcut: 'Shift+←',
      run: () => windows?.toggleGroup(false),
    },
    {
      id: 'expand',
      label: groupMessages.expandAll,
      icon: <ChevronsUpDown size={16} aria-hidden />,
      shortcut: 'Shift+→',
      run: () => windows?.toggleGroup(true),
    },
  ]
}
