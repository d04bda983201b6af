import type { KeyboardEvent } from 'react'
import { isApple } from '../../lib/shortcuts.ts'
import { actionOfKey, type GridAction } from './grid-keys.ts'
import type { GridController } from './grid-controller.ts'
import { rangeOf } from './selection.ts'

/** The grid's keyboard handler, active while no editor is open. */
export function gridKeyboard(grid: GridController): { readonly onKeyDown: (event: KeyboardEvent) => void } {
  return {
    onKeyDown(event) {
      if (grid.edit.isOpen || event.nativeEvent.isComposing || !(event.target instanceof Element)) return
      if (event.target.closest('[role="gridcell"]:not([data-foot])') === null) return
      const { key, shiftKey: isShift, altKey: isAlt } = event
      const isMod = isApple() ? event.metaKey : event.ctrlKey
      const group = isMod || isAlt ? undefined : grid.activeGroup
      if (group && isShift && (key === 'ArrowLeft' || key === 'ArrowRight')) {
        event.preventDefault()
        return grid.onToggleGroup(key === 'ArrowRight')
      }
      if (
        group &&
        !isShift &&
        (key === (group.isExpanded ? 'ArrowLeft' : 'ArrowRight') || key === 'Enter' || key === ' ')
      ) {
        event.preventDefault()
        return grid.onToggleGroup(group.key)
      }
      const action = actionOfKey({ key, isShift, isAlt, isMod }, grid)
      if (!action) return
      event.preventDefault()
      perform(grid, action)
    },
  }
}

function perform(grid: GridController, action: GridAction): void {
  const { edits, activeRecordId } = grid
  const range = rangeOf(grid.selection)
  switch (action.kind) {
    case 'select':
      return grid.select(action.selection)
    case 'check': {
      grid.select(action.selection)
      const { firstRow, lastRow } = rangeOf(action.selection)
      return grid.checks.toggleRange(firstRow, lastRow)
    }
    case 'uncheck_all':
      return grid.checks.clear()
    case 'edit':
      return grid.edit.start(action.typed)
    case 'open_page':
      if (activeRecordId !== undefined) grid.onOpenPage(activeRecordId)
      return
    case 'toggle_record':
      return grid.onOpenRecord(activeRecordId === grid.openRecordId ? undefined : activeRecordId)
    case 'close_record':
      return grid.onOpenRecord(undefined)
    case 'fill_down':
      return void edits.fillDown(range)
    case 'clear':
      return void edits.clear(range)
    case 'delete_rows':
      return void edits.deleteRows(range)
    default:
      return action satisfies never
  }
}
