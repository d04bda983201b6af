import { create } from 'zustand'
import type { SchemaDescriptor } from '@holdfast/protocol'
import type { SearchedTable } from '@holdfast/client'
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
  openBackend(chooseSearched).then(
    (backend) => useStart.setState({ step: 'ready', backend }, true),
    (cause: unknown) => {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      useStart.setState({ step: 'unreachable', error }, true)
    },
  )
}

/** Loaded with the first database that is opened. */
async function chooseSearched(schema: SchemaDescriptor): Promise<readonly SearchedTable[]> {
  const { searchedTables } = await import('../lib/search/searched-tables.ts')
  return searchedTables(schema)
}
