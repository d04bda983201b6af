import { readJson, type KeyValueStore } from '../../key-value.ts'
import type { WrappedKey } from './lock-keys.ts'

/** A sealed file and where its bytes belong. */
export interface SealedFile {
  /** Name in the store of sealed files. */
  readonly name: string
  readonly of:
    | { readonly kind: 'database'; readonly fileName: string; readonly suffix: string }
    | { readonly kind: 'file'; readonly bytesName: string }
}

/** How a user's data on this device is locked. Contains nothing that opens it without the server or the password. */
export interface LockRecord {
  /** The server derives its key for this lock from it. */
  readonly lockId: string
  readonly publicKey: string
  readonly byServer: WrappedKey
  readonly byPassword?: WrappedKey & { readonly salt: string; readonly iterations: number }
  /** The user has signed out, and sealing is not finished. */
  readonly isClosing?: boolean
  readonly sealed?: { readonly ephemeral: string; readonly files: readonly SealedFile[] }
  /** Wrong passwords in a row, and when the next one is accepted, in ms since the epoch. */
  readonly failures?: number
  readonly notBeforeMs?: number
}

const keyOf = (userId: string): string => `holdfast-lock-${userId}`

export function readLock(store: KeyValueStore, userId: string): Promise<LockRecord | undefined> {
  return readJson<LockRecord>(store, keyOf(userId))
}

export async function writeLock(store: KeyValueStore, userId: string, record: LockRecord): Promise<void> {
  await store.setItem(keyOf(userId), JSON.stringify(record))
}

export async function forgetLock(store: KeyValueStore, userId: string): Promise<void> {
  await store.removeItem(keyOf(userId))
}

/** Name of the file store with a user's sealed files. */
export function sealedStoreOf(userId: string): string {
  return `${userId}_locked`
}
