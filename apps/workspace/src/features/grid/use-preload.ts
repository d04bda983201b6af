import { useEffect } from 'react'
import { fieldsForm } from './toolbar/fields-popover.tsx'
import { filterForm } from './toolbar/filter-popover.tsx'
import { sortForm } from './toolbar/sort-popover.tsx'
import { viewsPanel } from './toolbar/views-popover.tsx'

/** The first rows have the line and the processor for themselves, in milliseconds. */
const AFTER_ROWS_MS = 1_000

/** Loads what opens over a grid, and what changes ranges of cells, once its rows are there. */
export function usePreload(hasRows: boolean): void {
  // Loading is outside of React.
  useEffect(() => {
    if (!hasRows) return
    const timer = setTimeout(() => {
      for (const { preload } of [filterForm, sortForm, fieldsForm, viewsPanel]) preload()
      import('./bulk-edits.ts').catch(console.info)
    }, AFTER_ROWS_MS)
    return () => clearTimeout(timer)
  }, [hasRows])
}
