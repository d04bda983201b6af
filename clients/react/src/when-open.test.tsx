// @vitest-environment happy-dom
import { render, renderHook, screen, waitFor } from '@testing-library/react'
import { useState, type JSX } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HoldfastProvider, useHoldfast } from './holdfast-provider.tsx'
import { ANA, BEN, openOfflineClient, PATIENCE, type OfflineClient } from './offline-client.test-support.tsx'
import { useLocalDatabase } from './use-device.ts'
import { useTable } from './use-schema.ts'
import { usePeople, useSession } from './use-session.ts'
import { WhenOpen } from './when-open.tsx'

let offline: OfflineClient
beforeEach(async () => {
  offline = await openOfflineClient()
})
afterEach(() => offline[Symbol.asyncDispose]())

/** Shows whose database is open, and who it was at mounting. */
function Person(): JSX.Element {
  const { userId } = useLocalDatabase()
  const [first] = useState(userId)
  return (
    <p>
      {userId}, mounted for {first}
    </p>
  )
}

test('shows its children while a database is open, and mounts them again for another person', async () => {
  render(
    <HoldfastProvider client={offline.client}>
      <WhenOpen otherwise={({ kind }) => <p>instead: {kind}</p>}>
        <Person />
      </WhenOpen>
    </HoldfastProvider>,
  )
  expect(screen.getByText('ana, mounted for ana')).toBeDefined()
  await offline.switchTo(BEN)
  await waitFor(() => expect(screen.getByText('ben, mounted for ben')).toBeDefined(), PATIENCE)
  await offline.client.signOut('keep')
  await waitFor(() => expect(screen.getByText('instead: none')).toBeDefined(), PATIENCE)
})

test('without anything to show instead, nothing is shown', async () => {
  await offline.client.signOut('keep')
  const { container } = render(<WhenOpen>rows</WhenOpen>, {
    wrapper: ({ children }) => <HoldfastProvider client={offline.client}>{children}</HoldfastProvider>,
  })
  expect(container.textContent).toBe('')
})

test('session and people of the device are current', async () => {
  const { result } = renderHook(() => ({ session: useSession(), people: usePeople() }), {
    wrapper: ({ children }) => <HoldfastProvider client={offline.client}>{children}</HoldfastProvider>,
  })
  expect(result.current.session).toEqual({ kind: 'expired', user: ANA })
  await offline.switchTo(BEN)
  await waitFor(() => expect(result.current.session).toEqual({ kind: 'expired', user: BEN }), PATIENCE)
  await waitFor(() => expect(result.current.people.map(({ id }) => id)).toEqual(['ben', 'ana']), PATIENCE)
})

test('a table is found by its name on the device', () => {
  const { result } = offline.render((): readonly (string | undefined)[] => [
    useTable('notes')?.table,
    useTable('absent')?.table,
  ])
  expect(result.current).toEqual(['notes', undefined])
})

test('hooks say where they may be used', async () => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined) // React prints component errors
  expect(() => renderHook(() => useHoldfast())).toThrow('useHoldfast must be used within a HoldfastProvider')
  await offline.client.signOut('keep')
  expect(() =>
    renderHook(() => useLocalDatabase(), {
      wrapper: ({ children }) => <HoldfastProvider client={offline.client}>{children}</HoldfastProvider>,
    }),
  ).toThrow('the local database is not open (none)')
  quiet.mockRestore()
})
