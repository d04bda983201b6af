import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Lsn } from './lsn.ts'
import type { ReplicationEvent } from './events.ts'

/**
 * Receives slot events in commit order. Called synchronously before the slot's reader, so it must return quickly and bound what it keeps: unused events are
 * gone. A transaction may span several calls. A `begin` after an unfinished transaction means that the connection broke and the transaction restarts.
 */
export type ChangeListener = (events: readonly ReplicationEvent[]) => void

/** Passes events of the single slot to further listeners. Only the slot's reader confirms positions. */
export interface ChangeTap {
  listen(listener: ChangeListener): Disposable
  /** Called by the slot's reader with each batch. Never throws or waits; a failing listener does not affect others. */
  deliver(events: readonly ReplicationEvent[]): void
}

export function createChangeTap(logger: Logger): ChangeTap {
  const listeners = new Set<ChangeListener>()
  /** Last delivered commit, to skip repetitions after a broken connection. */
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
      // A wrapper, because the same function may listen twice.
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
