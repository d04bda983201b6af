import type { OpenFileStore } from '../../attachments/files/file-store.ts'
import type { KeyValueStore } from '../../key-value.ts'
import type { DatabaseBytes, RemoveDatabase } from '../file-options.ts'
import { fileNameOf, readLocalFile } from '../local-file.ts'
import { createContentKey, openContentKey } from './lock-keys.ts'
import { sealedStoreOf, type LockRecord, type SealedFile } from './lock-record.ts'
import { SealBroken, sealed, unsealed } from './sealed-stream.ts'

export interface SealOptions {
  readonly store: KeyValueStore
  readonly database: DatabaseBytes
  readonly removeDatabase: RemoveDatabase
  readonly files: OpenFileStore
}

/** Encrypts a user's databases and files beside the originals. {@link removePlain} deletes those. */
export async function sealFiles(
  userId: string,
  publicKey: string,
  options: SealOptions,
): Promise<NonNullable<LockRecord['sealed']>> {
  const { key, ephemeral } = await createContentKey(publicKey)
  const target = await options.files(sealedStoreOf(userId))
  await target.clear() // of an attempt that was interrupted
  const done: SealedFile[] = []
  const add = async (bytes: Blob, of: SealedFile['of']): Promise<void> => {
    const name = `${done.length}`
    await target.write(name, sealed(bytes, key, done.length))
    done.push({ name, of })
  }
  for (const fileName of await databasesOf(userId, options.store)) {
    for (const [suffix, bytes] of await options.database.read(fileName)) {
      await add(bytes, { kind: 'database', fileName, suffix })
    }
  }
  const source = await options.files(userId)
  for (const { name } of await source.list()) {
    const bytes = await source.read(name)
    if (bytes) await add(bytes, { kind: 'file', bytesName: name })
  }
  return { ephemeral, files: done }
}

/** Deletes what {@link sealFiles} encrypted. */
export async function removePlain(userId: string, options: SealOptions): Promise<void> {
  for (const fileName of await databasesOf(userId, options.store)) await options.removeDatabase(fileName)
  await (await options.files(userId)).clear()
}

/**
 * Writes the originals back. Their encrypted copies stay.
 *
 * @throws {SealBroken} if a copy is missing or damaged
 */
export async function unsealFiles(
  userId: string,
  { ephemeral, files }: NonNullable<LockRecord['sealed']>,
  privateKey: CryptoKey,
  options: SealOptions,
): Promise<void> {
  const key = await openContentKey(privateKey, ephemeral)
  const source = await options.files(sealedStoreOf(userId))
  const target = await options.files(userId)
  await removePlain(userId, options) // of an attempt that was interrupted
  for (const [index, { name, of }] of files.entries()) {
    const bytes = await source.read(name)
    if (!bytes) throw new SealBroken()
    const plain = unsealed(bytes, key, index)
    if (of.kind === 'file') await target.write(of.bytesName, plain)
    else await options.database.write(of.fileName, of.suffix, plain)
  }
}

async function databasesOf(userId: string, store: KeyValueStore): Promise<readonly string[]> {
  const { generation } = await readLocalFile(store, userId)
  return Array.from({ length: generation + 1 }, (_, at) => fileNameOf(userId, { generation: at }))
}
