import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'

/** SQLite's words when a write found no room, and when the file system did not say why it refused one. */
const NO_ROOM = /database or disk is full|QuotaExceeded/i
const REFUSED = /disk I\/O error/i

/** A file of this name is written and thrown away to see whether there is room. */
const PROBE_FILE = '.hf-room'
/** A device that has not as much left is full: 256 KiB. */
const PROBE_BYTES = 262_144

/** This device has no room for a change or a file. Nothing of it was stored. */
export class DeviceFull extends Error {
  override readonly name: string = 'DeviceFull'

  constructor(message = 'There is no space left on this device. Nothing was stored.', cause?: unknown) {
    super(message, { cause })
  }
}

/**
 * Runs `body` as one local transaction, as the SDK's `writeTransaction` does.
 *
 * @throws {DeviceFull} when the device has no room, in place of SQLite's "disk I/O error"
 */
export async function writeLocally<T>(
  database: Pick<CommonPowerSyncDatabase, 'writeTransaction'>,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await database.writeTransaction(body)
  } catch (error) {
    throw await toWriteFailure(error)
  }
}

/** What a failed local write is to be reported as: {@link DeviceFull} when there is no room, else the error itself. */
export async function toWriteFailure(error: unknown): Promise<unknown> {
  if (error instanceof DeviceFull) return error
  const message = error instanceof Error ? error.message : String(error)
  const isFull = NO_ROOM.test(message) || (REFUSED.test(message) && (await hasNoRoom()))
  return isFull ? new DeviceFull(undefined, error) : error
}

/** Asks the browser's file system, where SQLite has its file as well; what the browser estimates says nothing about the disk. */
async function hasNoRoom(): Promise<boolean> {
  const storage = globalThis.navigator?.storage as Partial<StorageManager> | undefined
  const root = await storage?.getDirectory?.().catch(() => undefined)
  if (!root) return false
  try {
    const handle = await root.getFileHandle(PROBE_FILE, { create: true })
    const file = await handle.createWritable()
    await file.write(new Uint8Array(PROBE_BYTES))
    await file.abort()
    return false
  } catch (error) {
    return error instanceof Error && error.name === 'QuotaExceededError'
  } finally {
    // It is empty; one that is still held stays for the next time.
    await root.removeEntry(PROBE_FILE).catch(() => undefined)
  }
}
