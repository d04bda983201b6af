import type { FileHandle } from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { READ_WINDOW_BYTES } from '../limits.ts'
import type { ByteRange } from './backend.ts'

/** How many windows an answer has: one is read while the socket takes the other. */
const WINDOWS = 2

/**
 * The bytes of a file, or a range of them; the file is closed with the stream.
 *
 * Piped into an answer they are read into the same windows again and again: a window is filled once the socket has taken what was in it, which the callback of
 * a write says. New ones for each read are garbage at the speed of the network. Any other reader may keep what it is given, and gets buffers of its own.
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
      // A client that has gone is no failure of the file.
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

  /** @returns what was read, nothing at the end */
  async #readInto(window: Buffer): Promise<Buffer> {
    const wanted = Math.min(window.length, this.#to - this.#at + 1)
    if (wanted <= 0) return window.subarray(0, 0)
    const { bytesRead } = await this.#file.read(window, 0, wanted, this.#at)
    this.#at += bytesRead
    return window.subarray(0, bytesRead)
  }
}

/** Resolves when the bytes are no longer looked at. @returns whether the socket has taken them */
function write(response: ServerResponse, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    response.write(bytes, (error) => resolve(!error))
  })
}
