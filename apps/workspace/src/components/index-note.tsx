import type { JSX } from 'react'
import { useIndexPercent } from '../lib/search/use-search-state.ts'
import { searchMessages as words } from '../messages/search.ts'

/** While the index of this device is made: how far it is, for who searches meanwhile. */
export function IndexNote({ className }: { readonly className?: string }): JSX.Element | null {
  const percent = useIndexPercent()
  return percent === undefined ? null : (
    <p className={className ?? 'text-small text-muted tabular-nums'}>{words.indexing(percent)}</p>
  )
}
