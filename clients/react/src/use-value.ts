import { useSyncExternalStore } from 'react'
import type { Value } from '@holdfast/client'

/** Returns the current value of a {@link Value}; rerenders when it changes. */
export function useValue<T>(value: Value<T>): T {
  return useSyncExternalStore(value.subscribe, value.get, value.get)
}
