import { errorMessage } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'

/** SQLite's messages for a full device, and for a write refused without a reason. */
const NO_ROOM = /database or disk is full|QuotaExceeded/i
const REFUSED = /disk I\/O error/i

/** Temporary file that tests for free space. */
const PROBE_FILE = '.hf-room'
/** A device with less free space is full: 256 KiB. */
const PROBE_BYTES = 262_144

/** The device has no room for a change or file. Nothing was stored. */
export class DeviceFull extends Error {
  override readonly name: string = 'DeviceFull'

  constructor(message = 'There is no space left on this device. Nothing was stored.', cause?: unknown) {
    super(message, { cause })
  }
}

/**
 * Runs `body` in one local transaction, as the SDK's `writeTransaction`.
 *
 * @throws {DeviceFull} if the device is full, instead of SQLite's "disk I/O error"
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

/** Converts the error of a failed local write to {@link DeviceFull} if there is no room. */
export async function toWriteFailure(error: unknown): Promise<unknown> {
  if (error instanceof DeviceFull) return error
  const message = errorMessage(error)
  const isFull = NO_ROOM.test(message) || (REFUSED.test(message) && (await hasNoRoom()))
  return isFull ? new DeviceFull(undefined, error) : error
}

/** Tests the browser's file system, where SQLite's file is; the browser's quota estimate says nothing about the disk. */
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
    // It is empty; if still locked, it stays for the next time.
    await root.removeEntry(PROBE_FILE).catch(() => undefined)
  }
}
