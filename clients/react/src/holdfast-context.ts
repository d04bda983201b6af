import { createContext, useContext } from 'react'
import type { HoldfastClient } from '@holdfast/client'

export const HoldfastContext = createContext<HoldfastClient | undefined>(undefined)

/** Returns the client of the nearest {@link HoldfastProvider}. */
export function useHoldfast(): HoldfastClient {
  const client = useContext(HoldfastContext)
  if (!client) throw new Error('useHoldfast must be used within a HoldfastProvider')
  return client
}
