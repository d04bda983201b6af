import type { SupabaseClient } from '@supabase/supabase-js'

/** What of realtime-js ends its WebSocket. Not part of its public types. */
interface SocketAdapter {
  socket: { disconnect(callback: () => void, code?: number, reason?: string): void }
  disconnect(callback: () => void, code?: number, reason?: string, timeoutMs?: number): Promise<'ok' | 'timeout'>
}

/** As realtime-js has it. */
const DISCONNECT_MS = 10_000

/**
 * Clears the time limit of each disconnect once it is over. realtime-js 2.119 does not (`SocketAdapter.disconnect`), so a Node process would end 10 s after its
 * last client.
 */
export function endDisconnectTimers(supabase: SupabaseClient): void {
  const { socketAdapter: adapter } = supabase.realtime as unknown as { readonly socketAdapter?: SocketAdapter }
  // Another version of realtime-js may have none.
  if (typeof adapter?.socket?.disconnect !== 'function') return
  adapter.disconnect = (callback, code, reason, timeoutMs = DISCONNECT_MS) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve('timeout'), timeoutMs)
      adapter.socket.disconnect(
        () => {
          clearTimeout(timer)
          callback()
          resolve('ok')
        },
        code,
        reason,
      )
    })
}
