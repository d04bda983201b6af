import { createContext, type JSX, type ReactNode, useContext } from 'react'
import type { Backend } from './backend.ts'

const BackendContext = createContext<Backend | undefined>(undefined)

export function BackendProvider({
  backend,
  children,
}: {
  readonly backend: Backend
  readonly children: ReactNode
}): JSX.Element {
  return <BackendContext value={backend}>{children}</BackendContext>
}

/** Returns the server's settings and client. */
export function useBackend(): Backend {
  const backend = useContext(BackendContext)
  if (!backend) throw new Error('useBackend is called outside of BackendProvider')
  return backend
}
