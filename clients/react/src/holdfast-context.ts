import { createContext, useContext } from 'react'
import type { HoldfastClient } from '@holdfast/client'

export const HoldfastContext = createContext<HoldfastClient | undefined>(undefined)

/** The client that the nearest {@link HoldfastProvider} was given. */
export function useHoldfast(): HoldfastClient {
  const client = useContext(HoldfastContext)
  if (!client) throw new Error('useHoldfast is used outside of a HoldfastProvider')
  return client
}
