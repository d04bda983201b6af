/** Notifies other tabs of this browser about removals. */
export interface RemovalChannel extends Disposable {
  tell(userId: string): void
}

/** @param onRemoval - called with the user whose data another tab removes */
export function openRemovalChannel(onRemoval: (userId: string) => void): RemovalChannel {
  if (typeof BroadcastChannel === 'undefined') return { tell: () => undefined, [Symbol.dispose]: () => undefined }
  const channel = new BroadcastChannel('holdfast-removal')
  ;(channel as { unref?: () => void }).unref?.() // a Node process may exit
  channel.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') onRemoval(data)
  })
  return {
    tell: (userId) => channel.postMessage(userId),
    [Symbol.dispose]: () => channel.close(),
  }
}
