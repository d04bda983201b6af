import { createClient, type RealtimeChannel } from '@supabase/supabase-js'
import { expect, onTestFinished } from 'vitest'

export interface JoinedChannel {
  readonly channel: RealtimeChannel
  readonly states: readonly string[]
  /** Events of the other received broadcasts. */
  readonly events: readonly string[]
  /** Numbers of the received broadcasts `counted`. */
  readonly numbers: readonly number[]
  readonly present: () => readonly string[]
}

/** Joins channel `room` on a server with the public client until the test ends, and tracks its presence under `key`. */
export async function joinChannel(url: string, anonKey: string, key: string): Promise<JoinedChannel> {
  const states: string[] = []
  const events: string[] = []
  const numbers: number[] = []
  const client = createClient(url, anonKey)
  const channel = client
    .channel('room', { config: { presence: { key } } })
    .on('broadcast', { event: '*' }, ({ event, payload }) => {
      if (event === 'counted') numbers.push((payload as { number: number }).number)
      else events.push(event)
    })
    .on('presence', { event: 'sync' }, () => undefined)
    .subscribe((state) => void states.push(state))
  onTestFinished(() => client.realtime.disconnect().then(() => undefined))
  await expect.poll(() => states).toContain('SUBSCRIBED')
  await channel.track({})
  return { channel, states, events, numbers, present: () => Object.keys(channel.presenceState()).toSorted() }
}
