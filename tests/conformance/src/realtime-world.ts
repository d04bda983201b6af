import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js'
import { onTestFinished } from 'vitest'
import type { Holdfast } from '@holdfast/test-support'

/** Both protocols of the client: the one that it speaks by itself, and the older one. */
export const VERSIONS = ['2.0.0', '1.0.0'] as const

export interface ClientOptions {
  readonly version?: (typeof VERSIONS)[number]
  readonly heartbeatIntervalMs?: number
  readonly key?: string
}

/** supabase-js, unmodified, whose WebSocket is closed after the test. */
export function openClient(holdfast: Holdfast, options: ClientOptions = {}): SupabaseClient {
  const { version = '2.0.0', heartbeatIntervalMs, key = holdfast.anonKey } = options
  const client = createClient(holdfast.url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { vsn: version, ...(heartbeatIntervalMs && { heartbeatIntervalMs }) },
  })
  onTestFinished(async () => {
    await client.removeAllChannels()
    await client.realtime.disconnect()
  })
  return client
}

/** Signs a person new up. */
export async function signUp(client: SupabaseClient, name: string): Promise<void> {
  const email = `${name}-${crypto.randomUUID()}@example.org`
  const { error } = await client.auth.signUp({ email, password: 'correct horse battery' })
  if (error) throw error
}

export interface Subscribed {
  readonly channel: RealtimeChannel
  /** All statuses that the client was told, the first is that of the join. */
  readonly statuses: string[]
}

/** Subscribes and waits for the first answer. */
export async function subscribe(channel: RealtimeChannel): Promise<Subscribed> {
  const statuses: string[] = []
  await new Promise<void>((resolve) => {
    channel.subscribe((status, error) => {
      statuses.push(error ? `${status}: ${error.message}` : status)
      resolve()
    })
  })
  return { channel, statuses }
}

/** What arrives of one event. */
export function collect(channel: RealtimeChannel, event: string): Record<string, unknown>[] {
  const messages: Record<string, unknown>[] = []
  channel.on('broadcast', { event }, (message) => void messages.push(message as Record<string, unknown>))
  return messages
}
