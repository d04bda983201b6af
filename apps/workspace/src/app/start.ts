import { create } from 'zustand'
import { type Backend, openBackend } from '../lib/data/backend.ts'

/** How far the app has got: one client per page, made outside of React, so that rendering twice does not make two. */
export type Start =
  | { readonly step: 'opening' }
  | { readonly step: 'unreachable'; readonly error: Error }
  | { readonly step: 'ready'; readonly backend: Backend }

export const useStart = create<Start>(() => ({ step: 'opening' }))

/** Opens the backend; called once at the start, and again by the person when the server could not be reached. */
export function start(): void {
  useStart.setState({ step: 'opening' }, true)
  openBackend().then(
    (backend) => useStart.setState({ step: 'ready', backend }, true),
    (cause: unknown) => {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      useStart.setState({ step: 'unreachable', error }, true)
    },
  )
}
