import type { FileHandle } from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { READ_WINDOW_BYTES } from '../limits.ts'
import type { ByteRange } from './backend.ts'

/** Read buffers per response: one is filled while the socket drains the other. */
const WINDOWS = 2

/**
 * Streams a file or a range of it, and closes the file with the stream.
 *
 * Piped into a response, it reuses a fixed set of buffers: each is refilled once the write callback reports that the socket has taken its content. Allocating
 * one per read would create garbage at network speed. Other consumers may keep their chunks, so they get fresh buffers.
 */
export class FileBytes extends Readable {
  readonly #file: FileHandle
  readonly #to: number
  #at: number

  constructor(file: FileHandle, { from, to }: ByteRange = { from: 0, to: Number.POSITIVE_INFINITY }) {
    super({ highWaterMark: READ_WINDOW_BYTES })
    this.#file = file
    this.#at = from
    this.#to = to
  }

  override _read(): void {
    this.#readInto(Buffer.allocUnsafeSlow(READ_WINDOW_BYTES)).then(
      (bytes) => this.push(bytes.length > 0 ? bytes : null),
      (error: unknown) => this.destroy(error as Error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    void this.#close(error, done)
  }

  async #close(error: Error | null, done: (error?: Error | null) => void): Promise<void> {
    let failure = error
    try {
      await this.#file.close()
    } catch (thrown) {
      failure ??= thrown as Error
    }
    done(failure)
  }

  override pipe<T extends NodeJS.WritableStream>(to: T, options?: { readonly end?: boolean }): T {
    if (!(to instanceof ServerResponse) || options?.end === false) return super.pipe(to, options)
    this.#answer(to).catch((error: unknown) => this.destroy(error as Error))
    return to
  }

  async #answer(response: ServerResponse): Promise<void> {
    const windows = Array.from({ length: WINDOWS }, () => ({
      bytes: Buffer.allocUnsafeSlow(READ_WINDOW_BYTES),
      taken: Promise.resolve(true),
    }))
    for (let turn = 0; !this.destroyed; turn++) {
      const window = windows[turn % WINDOWS] as (typeof windows)[number]
      // A disconnected client is not a file error.
      if (!(await window.taken)) {
        this.destroy()
        return
      }
      const bytes = await this.#readInto(window.bytes)
      if (bytes.length === 0) {
        response.end()
        this.push(null)
        this.resume()
        return
      }
      window.taken = write(response, bytes)
    }
  }

  /** @returns the bytes read; empty at the end of the file */
  async #readInto(window: Buffer): Promise<Buffer> {
    const wanted = Math.min(window.length, this.#to - this.#at + 1)
    if (wanted <= 0) return window.subarray(0, 0)
    const { bytesRead } = await this.#file.read(window, 0, wanted, this.#at)
    this.#at += bytesRead
    return window.subarray(0, bytesRead)
  }
}

/** Resolves once the buffer may be reused. @returns whether the socket accepted the bytes */
function write(response: ServerResponse, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    response.write(bytes, (error) => resolve(!error))
  })
}
