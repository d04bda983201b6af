import { ERRORS, type Locker, type RequestRelease } from '@tus/server'
import { Semaphore, type Release } from '@holdfast/foundation'

interface Holder {
  readonly requestRelease: RequestRelease
  readonly release: Release
}

/**
 * Serializes the requests of an upload in order of arrival. A new request asks the previous one to stop, because its connection may be dead. Unlike the
 * library's locker it does not poll.
 *
 * @param waitMs - longest wait for the lock
 */
export function createKeyLocker(waitMs: number): Locker {
  const semaphore = new Semaphore({ permits: Infinity, perKeyMax: 1 })
  const holders = new Map<string, Holder>()

  return {
    newLock: (key) => ({
      async lock(signal, requestRelease) {
        await holders.get(key)?.requestRelease()
        const release = await semaphore.acquire({ key, signal, timeoutMs: waitMs }).catch(() => {
          throw ERRORS.ERR_LOCK_TIMEOUT // what the library knows as an error
        })
        holders.set(key, { requestRelease, release })
      },
      async unlock() {
        const holder = holders.get(key)
        holders.delete(key)
        holder?.release()
      },
    }),
  }
}
