import { createReadStream, type ReadStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { UUID } from './offered-files.ts'

/** Files of visitors until their answers are sent: a folder, with a file for each by its id. */
export interface StagedFiles {
  /** Returns the number of bytes that have arrived; 0 for an unknown file. */
  sizeOf(id: string): Promise<number>
  /** Writes bytes behind those that have arrived. Call it once at a time per file. */
  append(id: string, bytes: Uint8Array): Promise<void>
  /** Returns the first bytes. */
  head(id: string, bytesMax: number): Promise<Buffer>
  read(id: string): ReadStream
  remove(id: string): Promise<void>
  /** Returns the files that are older than this age in ms. */
  listOlder(ageMs: number): Promise<readonly string[]>
  /** Returns the free bytes of the disk. */
  free(): Promise<number>
}

/** @param folder - created when the first file arrives */
export function createStagedFiles(folder: string): StagedFiles {
  const pathOf = (id: string): string => {
    if (!UUID.test(id)) throw new Error('a staged file is named by its id')
    return join(folder, id)
  }
  const listed = async (): Promise<readonly string[]> => {
    try {
      return (await readdir(folder)).filter((name) => UUID.test(name))
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }
  const sizeOf = async (id: string): Promise<number> => {
    try {
      return (await stat(pathOf(id))).size
    } catch (error) {
      if (isMissing(error)) return 0
      throw error
    }
  }
  return {
    sizeOf,
    async append(id, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await using file = await open(pathOf(id), 'a', 0o600)
      await file.writeFile(bytes)
      // The visitor's device forgets what the server says that it has.
      await file.sync()
    },
    async head(id, bytesMax) {
      await using file = await open(pathOf(id), 'r')
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0)
      return buffer.subarray(0, bytesRead)
    },
    read: (id) => createReadStream(pathOf(id)),
    remove: (id) => rm(pathOf(id), { force: true }),
    async listOlder(ageMs) {
      const older: string[] = []
      for (const id of await listed()) {
        const found = await stat(pathOf(id)).catch(() => undefined) // removed meanwhile
        if (found && Date.now() - found.mtimeMs > ageMs) older.push(id)
      }
      return older
    },
    async free() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
