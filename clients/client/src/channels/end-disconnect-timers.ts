import type { SupabaseClient } from '@supabase/supabase-js'

/** Internal part of realtime-js that closes its WebSocket. */
interface SocketAdapter {
  socket: { disconnect(callback: () => void, code?: number, reason?: string): void }
  disconnect(callback: () => void, code?: number, reason?: string, timeoutMs?: number): Promise<'ok' | 'timeout'>
}

/** As in realtime-js. */
const DISCONNECT_MS = 10_000

/** Clears the timeout of each disconnect. realtime-js 2.119 does not (`SocketAdapter.disconnect`), which would keep a Node process alive for 10 s. */
export function endDisconnectTimers(supabase: SupabaseClient): void {
  const { socketAdapter: adapter } = supabase.realtime as unknown as { readonly socketAdapter?: SocketAdapter }
  // Other versions of realtime-js may lack it.
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
