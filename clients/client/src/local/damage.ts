import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { KeyValueStore } from '../key-value.ts'
import { isMarked, markDamaged } from './local-file.ts'

/** SQLite's words for a file that is not what it wrote (SQLITE_CORRUPT, SQLITE_NOTADB). */
const DAMAGED = /database disk image is malformed|file is not a database/i

/** Whether a failure says that the file of the local database is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && (DAMAGED.test(error.message) || isDamage(error.cause))
}

export interface DamageWatch extends Disposable {
  /** A read or a write has met damage, here or in another tab. Only the first is told. */
  readonly met: Promise<void>
}

export interface DamageWatchOptions {
  readonly store: KeyValueStore
  readonly userId: string
  readonly fileName: string
  /** Receives the name of the file: this tab knows it before it can read what another tab has stored. */
  readonly damagedFiles: Set<string>
}

/**
 * Notices what any read, write or sync of a database meets, by the locks of the SDK that all of them go through. The file is marked, so that the next start
 * does not have to meet it again.
 */
export function watchDamage(
  database: CommonPowerSyncDatabase,
  { store, userId, fileName, damagedFiles }: DamageWatchOptions,
): DamageWatch {
  const { promise: met, resolve: tell } = Promise.withResolvers<void>()
  let isOver = false
  const resolve = (): void => {
    damagedFiles.add(fileName)
    tell()
  }
  const note = (error: unknown): void => {
    if (isOver || !isDamage(error)) return
    isOver = true
    void mark()
  }
  const mark = async (): Promise<void> => {
    try {
      await markDamaged(store, userId, fileName)
      channel?.postMessage(fileName)
    } finally {
      resolve()
    }
  }
  const adapter = database.database
  for (const lock of ['readLock', 'writeLock'] as const) {
    const take = adapter[lock].bind(adapter) as (...input: unknown[]) => Promise<unknown>
    const watched = async (...input: unknown[]): Promise<unknown> => {
      try {
        return await take(...input)
      } catch (error) {
        note(error)
        throw error
      }
    }
    Object.assign(adapter, { [lock]: watched })
  }
  // Sync has a connection of its own in the shared worker.
  const stop = database.registerListener({
    statusChanged: ({ downloadError, uploadError }) => [downloadError, uploadError].forEach(note),
  })
  const channel = openChannel(userId)
  // A tab that goes on writing into the damaged file would lose it.
  channel?.addEventListener('message', ({ data }) => {
    if (!isOver && data === fileName) {
      isOver = true
      resolve()
    }
  })
  void isMarked(store, userId, fileName).then((marked) => marked && !isOver && resolve())
  return {
    met,
    [Symbol.dispose]() {
      isOver = true
      stop()
      channel?.close()
    },
  }
}

function openChannel(userId: string): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined
  const channel = new BroadcastChannel(`holdfast-damage-${userId}`)
  ;(channel as { unref?: () => void }).unref?.() // a Node process may end
  return channel
}
