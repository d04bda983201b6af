import { create } from 'zustand'
import { type SchemaDescriptor, toError } from '@holdfast/protocol'
import type { SearchedTable } from '@holdfast/client'
import { type Backend, comesBack, openBackend } from '../lib/data/backend.ts'

/** How far the app has got: one client per page, made outside of React, so that rendering twice does not make two. */
export type Start =
  | { readonly step: 'opening' }
  | { readonly step: 'unreachable'; readonly error: Error }
  | { readonly step: 'ready'; readonly backend: Backend }

export const useStart = create<Start>(() => ({ step: 'opening' }))

/**
 * Opens the backend; called once at the start, and again by the person when the server could not be reached.
 *
 * @returns settles once the local database of whoever comes back is being opened; `undefined`: none will be
 */
export function start(): Promise<void> | undefined {
  useStart.setState({ step: 'opening' }, true)
  const database = Promise.withResolvers<void>()
  openBackend({ search: chooseSearched, forgetUser, onDatabase: database.resolve }).then(
    (backend) => useStart.setState({ step: 'ready', backend }, true),
    (cause: unknown) => {
      const error = toError(cause)
      useStart.setState({ step: 'unreachable', error }, true)
    },
  )
  if (!comesBack()) return undefined
  setTimeout(database.resolve, DATABASE_BEGINS_MS)
  return database.promise
}

/** A browser that is slow to say whether another tab has the file does not keep the screen empty, in milliseconds. */
const DATABASE_BEGINS_MS = 1_000

/** Loaded when a user leaves this device for good. */
async function forgetUser(userId: string): Promise<void> {
  const { forgetPerson } = await import('../lib/views/forget-person.ts')
  await forgetPerson(userId)
}

/** Loaded with the first database that is opened. */
async function chooseSearched(schema: SchemaDescriptor): Promise<readonly SearchedTable[]> {
  const { searchedTables } = await import('../lib/search/searched-tables.ts')
  return searchedTables(schema)
}
