import type { SearchState, Value } from '@holdfast/client'
import { useLocalDatabase, useValue } from '@holdfast/react'
import type { JSX } from 'react'
import { searchMessages as words } from '../messages/search.ts'

const NONE: Value<SearchState> = { get: () => ABSENT, subscribe: () => () => undefined }
const ABSENT: SearchState = { kind: 'absent' }

/** Returns the state of the search index: while it is built, searches scan all rows and are slower. */
function useSearchState(): SearchState {
  return useValue(useLocalDatabase().search?.state ?? NONE)
}

/** Returns the built percentage; `undefined` if there is nothing to wait for. */
function useIndexPercent(): number | undefined {
  const state = useSearchState()
  return state.kind === 'building' ? Math.floor(state.share * 100) : undefined
}

/** Shows the progress of building the search index. */
export function IndexNote({ className }: { readonly className?: string }): JSX.Element | null {
  const percent = useIndexPercent()
  return percent === undefined ? null : (
    <p className={className ?? 'text-small text-muted tabular-nums'}>{words.indexing(percent)}</p>
  )
}
