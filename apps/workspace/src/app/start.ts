import { create } from 'zustand'
import { type SchemaDescriptor, toError } from '@holdfast/protocol'
import type { RetryRefused, SearchedTable } from '@holdfast/client'
import { type Backend, comesBack, openBackend } from '../lib/data/backend.ts'

/** Startup state. Each page has one client, created outside React so that rendering twice does not create two. */
export type Start =
  | { readonly step: 'opening' }
  | { readonly step: 'unreachable'; readonly error: Error }
  | { readonly step: 'ready'; readonly backend: Backend }

export const useStart = create<Start>(() => ({ step: 'opening' }))

/**
 * Opens the backend, at startup and when the user retries after the server was unreachable.
 *
 * @returns a promise that settles once a returning user's local database is being opened; `undefined`: none will be
 */
export function start(): Promise<void> | undefined {
  useStart.setState({ step: 'opening' }, true)
  const database = Promise.withResolvers<void>()
  openBackend({ search: chooseSearched, forgetUser, retryRefused, onDatabase: database.resolve }).then(
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

/** Time in ms to wait for the browser to report whether another tab holds the file, before the screen appears. */
const DATABASE_BEGINS_MS = 1_000

/** Loaded when a user's data is removed from this device. */
async function forgetUser(userId: string): Promise<void> {
  const { forgetPerson } = await import('../lib/views/forget-person.ts')
  await forgetPerson(userId)
}

/** Loaded when the server may ask for a captcha. */
const retryRefused: RetryRefused = async (...refused) =>
  (await import('../components/captcha/captcha-dialog.tsx')).retryWithDialog(...refused)

/** Loaded with the first database. */
async function chooseSearched(schema: SchemaDescriptor): Promise<readonly SearchedTable[]> {
  const { searchedTables } = await import('../lib/search/searched-tables.ts')
  return searchedTables(schema)
}
