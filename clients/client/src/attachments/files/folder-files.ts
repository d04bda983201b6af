import { assertFileName, FileStoreFull, isFileName, type FileStore, type OpenFileStore } from './file-store.ts'

/** The part of `node:fs/promises` used here. */
interface NodeFileHandle {
  write(bytes: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }>
  sync(): Promise<void>
  close(): Promise<void>
}
interface NodeFs {
  readonly promises: {
    mkdir(path: string, options: { readonly recursive: true; readonly mode: number }): Promise<unknown>
    open(path: string, flags: string, mode?: number): Promise<NodeFileHandle>
    rename(from: string, to: string): Promise<void>
    rm(path: string, options: { readonly force: true; readonly recursive?: boolean }): Promise<void>
    readdir(path: string): Promise<readonly string[]>
    stat(path: string): Promise<{ readonly size: number; readonly mtimeMs: number }>
  }
  openAsBlob(path: string): Promise<Blob>
}
interface NodeProcess {
  getBuiltinModule(name: 'node:fs'): NodeFs
}

/** Suffix of a file being written. */
const PART = '.part'

/**
 * Keeps files in a folder, with a subfolder per user. For Node; it has no static imports, so browser bundlers can include it.
 *
 * @param folder - created if necessary
 */
export function folderFiles(folder: string): OpenFileStore {
  return async (userId) => {
    assertFileName(userId)
    const runtime = (globalThis as { process?: NodeProcess }).process
    if (!runtime) throw new TypeError('folderFiles() needs Node. Use browserFiles() in a browser.')
    const fs = runtime.getBuiltinModule('node:fs')
    const own = `${folder}/${userId}`
    await fs.promises.mkdir(own, { recursive: true, mode: 0o700 })
    return createFolderStore(fs, own)
  }
}

function createFolderStore(fs: NodeFs, folder: string): FileStore {
  const { promises } = fs
  const pathOf = (name: string): string => {
    assertFileName(name)
    return `${folder}/${name}`
  }
  return {
    async write(name, bytes) {
      const path = pathOf(name)
      try {
        const size = await writeSynced(await promises.open(path + PART, 'w', 0o600), bytes)
        await promises.rename(path + PART, path)
        await syncFolder(fs, folder)
        return size
      } catch (error) {
        await promises.rm(path + PART, { force: true })
        throw hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT') ? new FileStoreFull(error) : error
      }
    },
    async read(name) {
      try {
        return await fs.openAsBlob(pathOf(name))
      } catch (error) {
        if (await promises.stat(pathOf(name)).catch(() => undefined)) throw error
        return undefined
      }
    },
    remove: (name) => promises.rm(pathOf(name), { force: true }),
    async list() {
      const names = (await promises.readdir(folder)).filter(isFileName) // the system may put its own files there
      const stored = await Promise.all(
        names.map(async (name) => {
          const stat = await promises.stat(pathOf(name)).catch(() => undefined) // deleted since it was listed
          return stat && { name, size: stat.size, writtenAtMs: stat.mtimeMs }
        }),
      )
      return stored.filter((file) => file !== undefined)
    },
    async clear() {
      for (const name of await promises.readdir(folder)) {
        await promises.rm(`${folder}/${name}`, { force: true, recursive: true })
      }
    },
  }
}

/** Writes everything and waits for the disk. Always closes the handle. */
async function writeSynced(file: NodeFileHandle, bytes: Blob | ReadableStream<Uint8Array>): Promise<number> {
  let size = 0
  try {
    const reader = (bytes instanceof Blob ? bytes.stream() : bytes).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      for (let at = 0; at < value.length;) {
        at += (await file.write(value, at, value.length - at)).bytesWritten
      }
      size += value.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return size
}

/** Makes the new name durable, on systems that can open folders. */
async function syncFolder({ promises }: NodeFs, folder: string): Promise<void> {
  const handle = await promises.open(folder, 'r').catch(() => undefined)
  if (!handle) return
  await handle.sync().catch(() => undefined)
  await handle.close()
}

function hasCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown } | null)?.code === code
}
