import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { WRITE_WINDOW_BYTES } from '../limits.ts'
import type { StoredBytes } from './backend.ts'

const PRIVATE_FILE = 0o600

/** Writes `source` to a new file and calls `fsync`. If `source` fails, the bytes written so far remain. */
export async function writeNewFile(path: string, source: Readable): Promise<StoredBytes> {
  await using file = await open(path, 'wx', PRIVATE_FILE)
  const hash = createHash('md5')
  const writer = new BatchWriter(file)
  let size = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    writer.add(chunk)
    // Hash while the disk writes the previous batch.
    hash.update(chunk)
    size += chunk.length
    if (writer.isFull) await writer.drain()
  }
  await writer.drain()
  await file.sync()
  return { size, eTag: `"${hash.digest('hex')}"` }
}

/** Writes chunks in order, combining those that arrive during a write. */
class BatchWriter {
  readonly #file: FileHandle
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #writing: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(file: FileHandle) {
    this.#file = file
  }

  get isFull(): boolean {
    return this.#waitingBytes >= WRITE_WINDOW_BYTES
  }

  add(chunk: Buffer): void {
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    this.#writing ??= this.#write()
  }

  /** Resolves when the queue is empty. @throws the error of a failed write */
  async drain(): Promise<void> {
    await this.#writing
    if (this.#failure) throw this.#failure.error
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting
        this.#waiting = []
        this.#waitingBytes = 0
        await writeAll(this.#file, batch)
      }
    } catch (error) {
      this.#failure = { error }
    } finally {
      this.#writing = undefined
    }
  }
}

/** Repeats partial writes: a full disk may accept only part of a buffer. */
async function writeAll(file: FileHandle, batch: readonly Buffer[]): Promise<void> {
  let { bytesWritten } = batch.length === 1 ? { bytesWritten: 0 } : await file.writev(batch)
  for (const chunk of batch) {
    let written = Math.min(bytesWritten, chunk.length)
    bytesWritten -= written
    while (written < chunk.length) written += (await file.write(chunk, written, chunk.length - written)).bytesWritten
  }
}

export function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}
