import type { Backend } from '../data/backend.ts'
import { renewPush } from './push-device.ts'

/**
 * Keeps the notifications of this device going while the app is open: the server learns of the session of now, and a notification that is pressed opens its record here.
 *
 * @param open - goes to an address of the app
 * @returns ends it
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
