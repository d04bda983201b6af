import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { writeLocally } from '../local-write.ts'
import type { Value } from '../value.ts'
import { assertStorageKey, extensionOf, randomName } from './file-names.ts'
import type { AttachmentsOptions } from './attachments-options.ts'
import { chooseEvicted } from './cache-limit.ts'
import { isEvictable, isUnsent, NO_TRANSFER, type FileEntry } from './file-state.ts'
import type { FileTable } from './file-table.ts'
import { evict } from './evict.ts'
import { FileStoreFull, type FileStore } from './files/file-store.ts'
import type { TransferPause } from './gate.ts'
import { createLiveFiles, type LiveFile } from './live-files.ts'
import { createSmallPictures } from './small-pictures.ts'
import { createUsedMarks } from './used-marks.ts'

/** A file to add. */
export interface NewFile {
  /** Default: a random UUID. Also the id of the row that references the file. */
  readonly id?: string
  /** Default: the bucket of the options. */
  readonly bucket?: string
  /** Object key, which must be unique across devices. Default: `<user>/<id>.<extension>`. */
  readonly path?: string
  /** Display name. Default: that of a `File`. */
  readonly name?: string
  /** Default: the type of the blob. */
  readonly mediaType?: string
}

/** A file whose bytes are stored on this device, and which no transaction has added yet. */
export interface StagedFile {
  readonly file: FileEntry
  /** Adds the file. Insert the row that references it in the same transaction. */
  write(tx: Transaction): Promise<void>
  /** Deletes the bytes. Only for a file that no transaction has added. */
  discard(): Promise<void>
}

/** Disk space of files on this device. */
export interface FileUsage {
  /** Bytes of files that are also on the server. */
  readonly cachedBytes: number
  readonly unsentFiles: number
  readonly unsentBytes: number
  readonly cacheBytesMax: number
}

/** The files of one user on this device. */
export interface Attachments {
  /** Why transfers are paused; `undefined` if they are not. */
  readonly pause: Value<TransferPause>
  /**
   * Stores the bytes on this device and runs `write` in the same local transaction as the file's entry. Once resolved, the file survives reloads and days
   * offline.
   *
   * @param write - inserts the row that references the file; its id must be the file's id
   * @throws {DeviceFull} if the device is full; nothing was written
   */
  add(bytes: Blob, file?: NewFile, write?: (tx: Transaction, file: FileEntry) => Promise<unknown>): Promise<FileEntry>
  /**
   * Stores the bytes of a file that a later local transaction adds, such as one that also creates the record and adds further files. Without that transaction
   * the bytes go when the page closes.
   *
   * @throws {DeviceFull} if the device is full; nothing was written
   */
  stage(bytes: Blob, file?: NewFile): Promise<StagedFile>
  find(id: string): Promise<FileEntry | undefined>
  /** The current state of a file, updated while there are subscribers. */
  live(id: string): Value<LiveFile>
  /** Returns the bytes if they are on this device, and marks the file as used. */
  read(id: string): Promise<Blob | undefined>
  /** Returns the bytes as a `File` for saving elsewhere, including refused uploads. */
  exportFile(id: string): Promise<File | undefined>
  /** Returns a thumbnail kept earlier, whether or not the bytes are on this device. */
  picture(id: string, size: string): Promise<Blob | undefined>
  /**
   * Keeps a thumbnail (at most 64 KiB) on this device until the file's row leaves it, evicting the oldest beyond a thousand. Written in batches after a short
   * delay; errors go to `onProblem`.
   *
   * @param size - distinguishes thumbnails of a file, such as `96x96`
   */
  keepPicture(id: string, size: string, picture: Blob): void
  /** Requests a download as soon as there is a network. */
  want(id: string): Promise<void>
  /** Retries a refused or waiting transfer. */
  retry(id: string): Promise<void>
  setFilePaused(id: string, isPaused: boolean): Promise<void>
  /** Deletes the entry and the local bytes in the same transaction as `write`. Unsent bytes are lost. */
  remove(id: string, write?: (tx: Transaction) => Promise<unknown>): Promise<void>
  /** Pauses or resumes all transfers of this device, persistently. */
  setPaused(isPaused: boolean): Promise<void>
  /** Allows or forbids transfers on metered networks, persistently. Default: forbidden. */
  setUsesMetered(usesMetered: boolean): Promise<void>
  usage(): Promise<FileUsage>
  /** Deletes local copies of uploaded files, least recently used first, until at most `keepBytes` remain. Default: 0. */
  freeUpSpace(keepBytes?: number): Promise<void>
}

export interface AttachmentsContext {
  readonly userId: string
  readonly database: CommonPowerSyncDatabase
  readonly table: FileTable
  readonly store: FileStore
  readonly options: AttachmentsOptions
  readonly cacheBytesMax: () => number
  readonly pause: Value<TransferPause>
  readonly now: () => number
  readonly onProblem: (error: unknown) => void
  readonly remember: (setting: 'paused' | 'metered', isOn: boolean) => Promise<void>
}

/** File operations available in every tab. Only the leader tab transfers files; see `lead-transfers.ts`. */
export function createAttachments(context: AttachmentsContext): Attachments {
  const { database, table, store, onProblem } = context
  const markUsed = createUsedMarks(context)
  const pictures = createSmallPictures(context)
  return {
    pause: context.pause,
    async add(bytes, given = {}, write) {
      const staged = await stageFile(context, bytes, given)
      try {
        await writeLocally(database, async (tx) => {
          await staged.write(tx)
          await write?.(tx, staged.file)
        })
      } catch (error) {
        await staged.discard()
        throw error
      }
      return staged.file
    },
    stage: (bytes, given = {}) => stageFile(context, bytes, given),
    find: (id) => table.find(id),
    live: createLiveFiles(database, onProblem),
    async read(id) {
      const file = await table.find(id)
      const bytes = file?.bytesName === undefined ? undefined : await store.read(file.bytesName)
      if (file && bytes) markUsed(file)
      return bytes
    },
    async exportFile(id) {
      const file = await table.find(id)
      const bytes = file?.bytesName === undefined ? undefined : await store.read(file.bytesName)
      return file && bytes && new File([bytes], file.name, { type: file.mediaType })
    },
    picture: (id, size) => pictures.find(id, size),
    keepPicture: (id, size, picture) => pictures.keep(id, size, picture),
    want: async (id) => void (await table.apply(id, { kind: 'wanted', by: 'person' })),
    retry: async (id) => void (await table.apply(id, { kind: 'retried' })),
    setFilePaused: async (id, isPaused) => void (await table.apply(id, { kind: 'paused', isPaused })),
    async remove(id, write) {
      const bytesName = await writeLocally(database, async (tx) => {
        const file = await table.findIn(tx, id)
        await table.delete(tx, id)
        await write?.(tx)
        return file?.bytesName
      })
      if (bytesName !== undefined) await store.remove(bytesName)
    },
    setPaused: (isPaused) => context.remember('paused', isPaused),
    setUsesMetered: (usesMetered) => context.remember('metered', usesMetered),
    async usage() {
      const files = await table.list()
      const unsent = files.filter(isUnsent)
      const bytes = (some: readonly FileEntry[]): number => some.reduce((sum, { size }) => sum + size, 0)
      return {
        cachedBytes: bytes(files.filter(isEvictable)),
        unsentFiles: unsent.length,
        unsentBytes: bytes(unsent),
        cacheBytesMax: context.cacheBytesMax(),
      }
    },
    freeUpSpace: async (keepBytes = 0) =>
      evict(context, chooseEvicted(await table.list(), { limit: keepBytes, needed: 0 }) ?? []),
  }
}

async function stageFile(
  context: AttachmentsContext,
  bytes: Blob,
  { id = crypto.randomUUID(), ...given }: NewFile,
): Promise<StagedFile> {
  const { userId, table, store, options, now } = context
  const name = given.name ?? (bytes as Partial<File>).name ?? id
  const mediaType = (given.mediaType ?? bytes.type) || 'application/octet-stream'
  const path = given.path ?? `${userId}/${id}${extensionOf(name, mediaType)}`
  assertStorageKey(path)
  const bytesName = randomName()
  await writeBytes(context, bytesName, bytes)
  const file: FileEntry = {
    id,
    bucket: given.bucket ?? options.bucket,
    path,
    name,
    mediaType,
    size: bytes.size,
    state: 'captured',
    isEager: false,
    bytesName,
    ...NO_TRANSFER,
    usedAtMs: now(),
  }
  return {
    file,
    write: (tx) => table.insert(tx, file, now()),
    discard: () => store.remove(bytesName),
  }
}

/** Writes the bytes of an unsent file, evicting files that can be fetched again if the device is full. */
async function writeBytes(context: AttachmentsContext, name: string, bytes: Blob): Promise<void> {
  const { store, table } = context
  try {
    await store.write(name, bytes)
  } catch (error) {
    const evictable = (await table.list()).filter(isEvictable)
    if (!(error instanceof FileStoreFull) || evictable.length === 0) throw error
    await evict(context, evictable)
    await store.write(name, bytes)
  }
}
