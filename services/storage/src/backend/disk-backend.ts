import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  utimes,
  type FileHandle,
} from 'node:fs/promises'
import { join } from 'node:path'
import { storeFull } from '../errors.ts'
import { assertVersion, isVersion, type Backend, type ByteRange, type ListedVersion } from './backend.ts'
import { FileBytes } from './file-bytes.ts'
import { isDiskFull, writeNewFile } from './new-file.ts'

/** Folders for complete versions (sharded by their first two digits) and for unfinished files; file with the store's identity. */
const VERSIONS = 'versions'
const UNFINISHED = 'unfinished'
const STORE_ID = 'store-id'

const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600

/** Opens a local folder as a backend, creating it if necessary. */
export async function openDiskBackend(folder: string): Promise<Backend> {
  const unfinished = join(folder, UNFINISHED)
  const versions = join(folder, VERSIONS)
  for (const one of [folder, unfinished, versions]) await mkdir(one, { recursive: true, mode: PRIVATE_FOLDER })
  await syncFolder(folder)

  const shardOf = (version: string): string => join(versions, version.slice(0, 2))
  const pathOf = (version: string): string => {
    assertVersion(version)
    return join(shardOf(version), version)
  }
  const inShard = createShards(shardOf, (shard) => makeShard(shard, versions))

  return {
    description: `the folder ${folder}`,
    async write(version, source) {
      const path = pathOf(version)
      const temporary = join(unfinished, randomUUID())
      try {
        const stored = await writeNewFile(temporary, source)
        await inShard(version, () => rename(temporary, path))
        await syncFolder(shardOf(version))
        return stored
      } catch (error) {
        source.destroy()
        for (const one of [temporary, path]) await removeFile(one).catch(() => undefined) // report the first failure
        throw isDiskFull(error) ? storeFull(error) : error
      }
    },
    async read(version, range) {
      const file = await openExisting(pathOf(version))
      return file && new FileBytes(file, range)
    },
    async readPart(version, range) {
      await using file = await openExisting(pathOf(version))
      return file && (await readPart(file, range))
    },
    async sizeOf(version) {
      const found = await stat(pathOf(version)).catch(absent)
      return found?.size
    },
    async copy(from, to) {
      try {
        await inShard(to, () => linkOrCopy(pathOf(from), pathOf(to)))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
        throw isDiskFull(error) ? storeFull(error) : error
      }
      // The sweep goes by age, and a hard link shares the timestamp of the original.
      const now = new Date()
      await utimes(pathOf(to), now, now)
      await syncFolder(shardOf(to))
      return true
    },
    remove: (version) => removeFile(pathOf(version)),
    list: () => listVersions(versions),
    async removeUnfinished(before) {
      let removed = 0
      for (const name of await readdir(unfinished)) {
        const path = join(unfinished, name)
        const found = await stat(path).catch(absent)
        if (!found || found.mtimeMs >= before) continue
        await removeFile(path)
        removed++
      }
      return removed
    },
    async readStoreId() {
      const text = await readFile(join(folder, STORE_ID), 'utf8').catch(absent)
      return text?.trim() || undefined
    },
    async writeStoreId(id) {
      const temporary = join(unfinished, randomUUID())
      await using file = await open(temporary, 'wx', PRIVATE_FILE)
      await file.writeFile(`${id}\n`)
      await file.sync()
      await rename(temporary, join(folder, STORE_ID))
      await syncFolder(folder)
    },
    async [Symbol.asyncDispose]() {},
  }
}

async function makeShard(shard: string, versions: string): Promise<void> {
  const made = await mkdir(shard, { recursive: true, mode: PRIVATE_FOLDER })
  if (made !== undefined) await syncFolder(versions)
}

/** @returns a function that runs a change in a version's folder. It creates the folder first, and again if it was deleted concurrently. */
function createShards(
  shardOf: (version: string) => string,
  make: (shard: string) => Promise<void>,
): (version: string, use: () => Promise<void>) => Promise<void> {
  /** Folders that exist or are being created. */
  const shards = new Map<string, Promise<void>>()

  async function ensure(shard: string): Promise<void> {
    const made = shards.get(shard) ?? make(shard)
    shards.set(shard, made)
    await made.catch((error: unknown) => {
      shards.delete(shard)
      throw error
    })
  }

  return async (version, use) => {
    const shard = shardOf(version)
    await ensure(shard)
    try {
      await use()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      shards.delete(shard)
      await ensure(shard)
      await use()
    }
  }
}

async function readPart(file: FileHandle, { from, to }: ByteRange): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(to - from + 1)
  let read = 0
  while (read < bytes.length) {
    const { bytesRead } = await file.read(bytes, read, bytes.length - read, from + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.subarray(0, read)
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  return open(path, 'r').catch(absent)
}

/** Hard-links where the file system supports it: versions are immutable, so sharing one file is safe. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK' && code !== 'ENOSYS') throw error
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    await using file = await open(to, 'r+')
    await file.sync()
  }
}

async function* listVersions(versions: string): AsyncGenerator<ListedVersion> {
  for (const shard of await readdir(versions)) {
    for (const version of await readdir(join(versions, shard)).catch(() => [])) {
      if (!isVersion(version)) continue
      const found = await stat(join(versions, shard, version)).catch(absent)
      if (found) yield { version, size: found.size, writtenAt: found.mtimeMs }
    }
  }
}

async function removeFile(path: string): Promise<void> {
  await unlink(path).catch(absent)
}

/** Makes a rename survive a power loss. No-op on Windows, which cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
