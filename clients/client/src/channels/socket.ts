import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'
import type { Value } from '../value.ts'

/** The supabase client's single WebSocket, as shared by its channels. */
export interface Socket {
  /** Resolves when a channel can be joined: no WebSocket is closing, and the access token is set. */
  ready(): Promise<void>
  /** Leaves a channel. After the last one realtime-js closes the WebSocket; without a connection this happens immediately to stop reconnecting. */
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
