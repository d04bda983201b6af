// @vitest-environment happy-dom
import { waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openOfflineClient, PATIENCE, type OfflineClient } from './offline-client.test-support.tsx'
import { useHasSynced, useLastSyncedAt } from './use-engine-status.ts'
import { useIncompleteTables } from './use-incomplete-tables.ts'
import { useStream } from './use-stream.ts'
import { useSyncStatus } from './use-sync-status.ts'

let offline: OfflineClient
beforeEach(async () => {
  offline = await openOfflineClient()
})
afterEach(() => offline[Symbol.asyncDispose]())

/** The SDK's subscriptions for the next connection. */
async function subscriptions(): Promise<readonly string[]> {
  const { database } = await offline.opened()
  const rows = await database.getAll<{ name: string; parameters: string; priority: number; ttl: number }>(
    `select stream_name as name, local_params as parameters, local_priority as priority, ttl
       from ps_stream_subscriptions order by local_params`,
  )
  return rows.map(({ name, parameters, priority, ttl }) => `${name} ${parameters} ${priority} ${ttl}`)
}

test('a stream is subscribed to with its parameters, each set of them once', async () => {
  const { result, rerender } = offline.render(
    ({ site }: { readonly site: string }) => useStream('notes_of', { site }, { ttl: 60, priority: 1 }),
    { initialProps: { site: 'a' } },
  )
  await waitFor(async () => expect(await subscriptions()).toEqual(['notes_of {"site":"a"} 1 60']), PATIENCE)
  expect(result.current).toEqual({ hasSynced: false, downloadedFraction: undefined })
  rerender({ site: 'a' })
  rerender({ site: 'b' })
  await waitFor(
    async () => expect(await subscriptions()).toEqual(['notes_of {"site":"a"} 1 60', 'notes_of {"site":"b"} 1 60']),
    PATIENCE,
  )
})

test('without parameters yet nothing is asked for', async () => {
  const { result, rerender } = offline.render(
    ({ site }: { readonly site: string | undefined }) =>
      useStream('notes_of', site === undefined ? undefined : { site }),
    { initialProps: { site: undefined as string | undefined } },
  )
  expect(result.current).toEqual({ hasSynced: false, downloadedFraction: undefined })
  expect(await subscriptions()).toEqual([])
  rerender({ site: 'a' })
  await waitFor(
    async () => expect(await subscriptions()).toEqual([expect.stringMatching(/^notes_of {"site":"a"} /)]),
    PATIENCE,
  )
})

test('a stream without parameters is subscribed to by its name', async () => {
  offline.render(() => useStream('all_notes'))
  await waitFor(async () => expect(await subscriptions()).toEqual(['all_notes {} null 86400']), PATIENCE)
})

test('signing out while a stream is being subscribed to fails nothing', async () => {
  offline.render(() => useStream('notes_of', { site: 'a' }))
  await offline.client.signOut('keep')
  expect(offline.client.device.get()).toEqual({ kind: 'none' })
})

test('a device that was never in step says so', async () => {
  const { result } = offline.render(() => ({
    hasSynced: useHasSynced(),
    at: useLastSyncedAt(),
    status: useSyncStatus(),
    incomplete: useIncompleteTables(),
  }))
  const status = { kind: 'sign_in_needed' }
  await waitFor(
    () => expect(result.current).toEqual({ hasSynced: false, at: undefined, status, incomplete: [] }),
    PATIENCE,
  )
})
