import type { SearchState, Value } from '@holdfast/client'
import { useLocalDatabase, useValue } from '@holdfast/react'
import type { JSX } from 'react'
import { searchMessages as words } from '../messages/search.ts'

const NONE: Value<SearchState> = { get: () => ABSENT, subscribe: () => () => undefined }
const ABSENT: SearchState = { kind: 'absent' }

/** How far the index of this device is: while it is made, a search compares all rows and takes longer. */
function useSearchState(): SearchState {
  return useValue(useLocalDatabase().search?.state ?? NONE)
}

/** Percent of the index that are made; `undefined` when there is nothing to wait for. */
function useIndexPercent(): number | undefined {
  const state = useSearchState()
  return state.kind === 'building' ? Math.floor(state.share * 100) : undefined
}

/** While the index of this device is made: how far it is, for who searches meanwhile. */
export function IndexNote({ className }: { readonly className?: string }): JSX.Element | null {
  const percent = useIndexPercent()
  return percent === undefined ? null : (
    <p className={className ?? 'text-small text-muted tabular-nums'}>{words.indexing(percent)}</p>
  )
}
