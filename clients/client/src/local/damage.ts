import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { KeyValueStore } from '../key-value.ts'
import { isMarked, markDamaged } from './local-file.ts'

/** SQLite's messages for a corrupt file (SQLITE_CORRUPT, SQLITE_NOTADB). */
const DAMAGED = /database disk image is malformed|file is not a database/i

/** Whether an error reports a damaged database file. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && (DAMAGED.test(error.message) || isDamage(error.cause))
}

export interface DamageWatch extends Disposable {
  /** Resolves when a read or write hits damage, here or in another tab. */
  readonly met: Promise<void>
}

export interface DamageWatchOptions {
  readonly store: KeyValueStore
  readonly userId: string
  readonly fileName: string
  /** Receives the file name, because this tab may not yet see what another tab has stored. */
  readonly damagedFiles: Set<string>
}

/** Detects damage on any read, write or sync, by wrapping the SDK's locks. Marks the file for the next start. */
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
  // Sync uses its own connection in the shared worker.
  const stop = database.registerListener({
    statusChanged: ({ downloadError, uploadError }) => [downloadError, uploadError].forEach(note),
  })
  const channel = openChannel(userId)
  // A tab that continued writing into the damaged file would lose its writes.
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
  ;(channel as { unref?: () => void }).unref?.() // a Node process may exit
  return channel
}
