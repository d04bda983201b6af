import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { StoredBytes } from './backend.ts'

const PRIVATE_FILE = 0o600

/** Writes all bytes of `source` to a file that nothing has the name of, and `fsync`s it. What has been written when `source` fails stays. */
export async function writeNewFile(path: string, source: Readable): Promise<StoredBytes> {
  await using file = await open(path, 'wx', PRIVATE_FILE)
  const hash = createHash('md5')
  let size = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    hash.update(chunk)
    size += chunk.length
    await writeAll(file, chunk)
  }
  await file.sync()
  return { size, eTag: `"${hash.digest('hex')}"` }
}

/** A full disk may take a part of a chunk, and the rest never. */
async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written)
    written += bytesWritten
  }
}

export function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}
