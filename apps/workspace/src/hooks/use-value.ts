import type { Value } from '@holdfast/client'
import { useSyncExternalStore } from 'react'

/** What a value of the client is now; renders again when it changes. */
export function useValue<T>(value: Value<T>): T {
  return useSyncExternalStore(value.subscribe, value.get)
}
