import { createContext, type JSX, type ReactNode, useContext } from 'react'
import type { HoldfastClient } from '@holdfast/client'

const HoldfastContext = createContext<HoldfastClient | undefined>(undefined)

/** Returns the client of the nearest {@link HoldfastProvider}. */
export function useHoldfast(): HoldfastClient {
  const client = useContext(HoldfastContext)
  if (!client) throw new Error('useHoldfast must be used within a HoldfastProvider')
  return client
}

/** Provides the client to the hooks below. Does not own it: its creator disposes of it. */
export function HoldfastProvider(props: {
  readonly client: HoldfastClient
  readonly children: ReactNode
}): JSX.Element {
  return <HoldfastContext value={props.client}>{props.children}</HoldfastContext>
}
