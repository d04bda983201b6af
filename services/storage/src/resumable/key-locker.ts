import { ERRORS, type Lock, type Locker, type RequestRelease } from '@tus/server'

interface Holder {
  readonly requestRelease: RequestRelease
}

/**
 * Serializes the requests of an upload in order of arrival. A new request asks the previous one to stop, because its connection may be dead. Unlike the
 * library's locker it does not poll.
 *
 * @param waitMs - longest wait for the lock
 */
export function createKeyLocker(waitMs: number): Locker {
  const holders = new Map<string, Holder>()
  const waiting = new Map<string, (() => void)[]>()

  return { newLock: (key) => lockOf(key) }

  function lockOf(key: string): Lock {
    return {
      async lock(signal, requestRelease) {
        await holders.get(key)?.requestRelease()
        while (holders.has(key)) await turn(key, signal)
        holders.set(key, { requestRelease })
      },
      async unlock() {
        holders.delete(key)
        const [next, ...others] = waiting.get(key) ?? []
        if (others.length > 0) waiting.set(key, others)
        else waiting.delete(key)
        next?.()
      },
    }
  }

  /** Resolves when the previous holder has released the lock. @throws on timeout, or if the request ends */
  function turn(key: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const come = (): void => {
        leave()
        resolve()
      }
      const giveUp = (): void => {
        leave()
        const others = (waiting.get(key) ?? []).filter((one) => one !== come)
        if (others.length > 0) waiting.set(key, others)
        else waiting.delete(key)
        // oxlint-disable-next-line prefer-promise-reject-errors -- what the library knows as an error
        reject(ERRORS.ERR_LOCK_TIMEOUT)
      }
      const leave = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
      }
      const timer = setTimeout(giveUp, waitMs)
      signal.addEventListener('abort', giveUp, { once: true })
      waiting.set(key, [...(waiting.get(key) ?? []), come])
      if (signal.aborted) giveUp()
    })
  }
}
