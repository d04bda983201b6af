import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'
import type { Value } from '../value.ts'

/** The one WebSocket of the supabase client, as far as its channels share it. */
export interface Socket {
  /** Resolves when a channel can be joined: a WebSocket that is being closed is gone, and the access token is known. */
  ready(): Promise<void>
  /** Leaves a channel. After the last one realtime-js closes the WebSocket; without a connection that is done at once, since it would be opened again and again. */
  leave(channel: RealtimeChannel): Promise<void>
}

export function shareSocket(supabase: SupabaseClient, gate: Value<string | undefined>): Socket {
  let closing: Promise<unknown> = Promise.resolve()
  return {
    async ready() {
      await closing
      await supabase.realtime.setAuth()
    },
    async leave(channel) {
      const isThere = channel.state === 'joined' && gate.get() !== undefined
      await supabase.removeChannel(channel)
      if (isThere || supabase.getChannels().length > 0) return
      closing = supabase.realtime.disconnect()
      await closing
    },
  }
}
