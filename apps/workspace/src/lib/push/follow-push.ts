import type { Backend } from '../data/backend.ts'
import { renewPush } from './push-device.ts'

/**
 * Keeps this device's push notifications active: renews the registration for the session, and opens a pressed notification's record.
 *
 * @param open - navigates to a path of the app
 * @returns stops
 */
export function followPush(backend: Backend, userId: string, open: (path: string) => void): () => void {
  renewPush(backend, userId).catch((error: unknown) =>
    console.info('The server was not told of the notifications of this device.', error),
  )
  const listen = ({ data }: MessageEvent<unknown>): void => {
    if (typeof data !== 'object' || data === null || !('type' in data) || data.type !== 'open') return
    if ('path' in data && typeof data.path === 'string') open(data.path)
  }
  navigator.serviceWorker.addEventListener('message', listen)
  return () => navigator.serviceWorker.removeEventListener('message', listen)
}
