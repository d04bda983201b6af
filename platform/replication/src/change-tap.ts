import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Lsn } from './lsn.ts'
import type { ReplicationEvent } from './events.ts'

/**
 * Takes events of the slot as they arrive, in commit order. It is called synchronously, before the reader of the slot has them, so it must return soon and keep
 * no more than it has limits for: no reader waits for it, and events that it has not used are gone. A transaction may be spread over several calls. A `begin`
 * without a `commit` since the last one: the connection broke half-way, and the transaction comes again from its beginning.
 */
export type ChangeListener = (events: readonly ReplicationEvent[]) => void

/** Hands the events of the one slot to whoever wants to see them besides its reader, who alone confirms positions. */
export interface ChangeTap {
  listen(listener: ChangeListener): Disposable
  /** Called by the reader of the slot with each batch. Never throws and never waits; a listener that fails takes nothing from the others. */
  deliver(events: readonly ReplicationEvent[]): void
}

export function createChangeTap(logger: Logger): ChangeTap {
  const listeners = new Set<ChangeListener>()
  /** The last commit that was delivered: what comes again after a broken connection is not. */
  let delivered = 0n as Lsn
  let isRepeated = false

  function isNew(event: ReplicationEvent): boolean {
    if (event.kind === 'begin') isRepeated = event.commitLsn <= delivered
    const isKept = !isRepeated
    if (event.kind === 'commit') {
      if (event.commitLsn > delivered) delivered = event.commitLsn
      isRepeated = false
    }
    return isKept
  }

  return {
    listen(listener) {
      // The same function may listen twice.
      const own: ChangeListener = (events) => listener(events)
      listeners.add(own)
      return { [Symbol.dispose]: () => void listeners.delete(own) }
    },
    deliver(events) {
      const fresh = events.filter(isNew)
      if (fresh.length === 0) return
      for (const listener of listeners) {
        try {
          listener(fresh)
        } catch (error) {
          logger.log('error', 'a listener to the changes of the slot failed', { error: errorMessage(error) })
        }
      }
    },
  }
}
