// @vitest-environment happy-dom
import { DeviceFull, type HoldfastClient } from '@holdfast/client'
import { HoldfastProvider } from '@holdfast/react'
import { act } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { FileSpace } from './file-space.tsx'

const rendered = renderedForEach()
/** Enough time for the database to answer. */
const A_MOMENT_MS = 1_000
const nothing = (): (() => void) => () => undefined

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a device that has no room even for freeing some says so, and no more once there is', async () => {
  const freeUpSpace = vi.fn<(keepBytes: number) => Promise<void>>().mockRejectedValueOnce(new DeviceFull())
  const connection = {
    getAll: async (sql: string) => (sql.includes('hf_local_files') ? [{ cached: 9, unsent: 0 }] : []),
  }
  const database = {
    registerListener: nothing,
    database: { registerListener: nothing },
    readLock: (body: (taken: object) => Promise<unknown>) => body(connection),
  }
  const device = { kind: 'open', local: { database, attachments: { freeUpSpace } } }
  const client = { device: { get: () => device, subscribe: nothing } } as unknown as HoldfastClient
  act(() =>
    rendered.root.render(
      <HoldfastProvider client={client}>
        <FileSpace />
      </HoldfastProvider>,
    ),
  )
  const button = (): HTMLButtonElement | undefined => [...rendered.place.querySelectorAll('button')].at(-1)
  await act(() => vi.advanceTimersByTimeAsync(A_MOMENT_MS))
  expect(button()?.disabled).toBe(false)
  const alert = (): string | null | undefined => rendered.place.querySelector('[role="alert"]')?.textContent

  await act(async () => button()?.click())
  expect(alert()).toContain('This device is still full.')
  await act(async () => button()?.click())
  expect([alert(), freeUpSpace.mock.calls]).toEqual(['', [[0], [0]]])
})
