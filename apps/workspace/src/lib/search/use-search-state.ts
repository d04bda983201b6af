import type { SearchState, Value } from '@holdfast/client'
import { useLocalDatabase, useValue } from '@holdfast/react'

const NONE: Value<SearchState> = { get: () => ABSENT, subscribe: () => () => undefined }
const ABSENT: SearchState = { kind: 'absent' }

/** How far the index of this device is: while it is made, a search compares all rows and takes longer. */
export function useSearchState(): SearchState {
  return useValue(useLocalDatabase().search?.state ?? NONE)
}

/** Percent of the index that are made; `undefined` when there is nothing to wait for. */
export function useIndexPercent(): number | undefined {
  const state = useSearchState()
  return state.kind === 'building' ? Math.floor(state.share * 100) : undefined
}
