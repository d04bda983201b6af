import { useEffect } from 'react'
import { barCode } from './table-foot.tsx'
import { fieldsForm } from './toolbar/fields-popover.tsx'
import { filterForm } from './toolbar/filter-popover.tsx'
import { sortForm } from './toolbar/sort-popover.tsx'
import { viewsPanel } from './toolbar/views-popover.tsx'

/** Delay in ms that leaves network and CPU to the first rows. */
const AFTER_ROWS_MS = 1_000

/** Preloads the grid's overlays and range operations once its rows are loaded. */
export function usePreload(hasRows: boolean): void {
  // Loading happens outside React.
  useEffect(() => {
    if (!hasRows) return
    const timer = setTimeout(() => {
      for (const { preload } of [filterForm, sortForm, fieldsForm, viewsPanel]) preload()
      barCode.preload()
      import('./bulk-edits.ts').catch(console.info)
    }, AFTER_ROWS_MS)
    return () => clearTimeout(timer)
  }, [hasRows])
}
