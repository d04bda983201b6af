// @vitest-environment happy-dom
import { render, screen, waitFor } from '@testing-library/react'
import { StrictMode, type JSX } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openOfflineClient, PATIENCE, type OfflineClient } from './offline-client.test-support.tsx'
import { useBroadcast } from './use-broadcast.ts'
import { usePresence } from './use-presence.ts'

let offline: OfflineClient
beforeEach(async () => {
  offline = await openOfflineClient()
})
afterEach(() => offline[Symbol.asyncDispose]())

function Here({ topic }: { readonly topic: string | undefined }): JSX.Element {
  const { people, total, channel } = usePresence(topic, { name: 'Ana' })
  const { send } = useBroadcast(topic, 'cursor')
  send({ field: 'title' }) // is dropped without an error
  return <p>{`${channel.kind}, ${people.length} of ${total}`}</p>
}

test('without a connection the list is empty, and nothing fails or is tried', async () => {
  const view = (topic: string | undefined): JSX.Element => (
    <StrictMode>
      <Here topic={topic} />
      <Here topic={topic} />
    </StrictMode>
  )
  const { rerender, unmount } = render(view('here'), { wrapper: offline.wrapper })
  await waitFor(() => expect(screen.getAllByText('offline, 0 of 0')).toHaveLength(2), PATIENCE)
  expect(offline.client.supabase.getChannels()).toEqual([])
  rerender(view(undefined))
  expect(screen.getAllByText('offline, 0 of 0')).toHaveLength(2)
  rerender(view('there'))
  unmount()
  expect(offline.client.supabase.getChannels()).toEqual([])
  expect(offline.client.supabase.realtime.connectionState()).toBe('closed')
})
