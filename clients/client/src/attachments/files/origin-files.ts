import {
  assertFileName,
  FileStoreFull,
  isFileName,
  type FileStore,
  type OpenFileStore,
  type StoredFile,
} from './file-store.ts'
import { isNamed } from './is-named.ts'

const REMOVALS_MAX = 10
const REMOVAL_DELAY_MS = 20

/**
 * Keeps files in the browser's origin private file system, in a folder per user. A file appears when completely written: the browser writes to a copy that
 * replaces it on close.
 *
 * @param folder - in the origin's private file system
 */
export function originFiles(folder: string): OpenFileStore {
  return async (userId) => {
    const open = async (): Promise<FileSystemDirectoryHandle> => {
      const root = await navigator.storage.getDirectory()
      const shared = await root.getDirectoryHandle(folder, { create: true })
      return shared.getDirectoryHandle(userId, { create: true })
    }
    await open()
    return createStore(open)
  }
}

function createStore(open: () => Promise<FileSystemDirectoryHandle>): FileStore {
  return {
    async write(name, bytes) {
      assertFileName(name)
      const directory = await open()
      try {
        // A full device refuses even the empty file.
        const handle = await directory.getFileHandle(name, { create: true })
        await copyTo(await handle.createWritable(), bytes)
        return (await handle.getFile()).size
      } catch (error) {
        await removeBroken(directory, name)
        throw isNamed(error, 'QuotaExceededError') ? new FileStoreFull(error) : error
      }
    },
    async read(name) {
      assertFileName(name)
      try {
        return await (await (await open()).getFileHandle(name)).getFile()
      } catch (error) {
        if (isNamed(error, 'NotFoundError')) return undefined
        throw error
      }
    },
    async remove(name) {
      assertFileName(name)
      try {
        await (await open()).removeEntry(name)
      } catch (error) {
        if (!isNamed(error, 'NotFoundError')) throw error
      }
    },
    async list() {
      const stored: StoredFile[] = []
      for await (const handle of (await open()).values()) {
        if (handle.kind !== 'file' || !isFileName(handle.name)) continue // names of the browser's own copies contain a dot
        const file = await (handle as FileSystemFileHandle).getFile().catch(() => undefined)
        if (file) stored.push({ name: handle.name, size: file.size, writtenAtMs: file.lastModified })
      }
      return stored
    },
    async clear() {
      const directory = await open()
      const names: string[] = []
      for await (const handle of directory.values()) names.push(handle.name)
      for (const name of names) await directory.removeEntry(name, { recursive: true })
    },
  }
}

async function copyTo(file: FileSystemWritableFileStream, bytes: Blob | ReadableStream<Uint8Array>): Promise<void> {
  const stream = bytes instanceof Blob ? bytes.stream() : bytes
  // Closes the file at the end of the stream; discards the copy if the stream fails.
  await stream.pipeTo(file as unknown as WritableStream<Uint8Array>)
}

/**
 * Deletes an incomplete file, with retries, because the browser releases it some time after the failure. Leftovers are deleted with other unreferenced bytes.
 */
async function removeBroken(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  for (let attempt = 1; attempt <= REMOVALS_MAX; attempt++) {
    try {
      return await directory.removeEntry(name)
    } catch (error) {
      if (!isNamed(error, 'NoModificationAllowedError')) return
      await new Promise((resolve) => setTimeout(resolve, attempt * REMOVAL_DELAY_MS))
    }
  }
}
