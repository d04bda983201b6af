import type { ServerResponse } from 'node:http'

/** Small writes are copied into one up to this many bytes, which costs less than a list of buffers. */
const JOINED_BYTES_MAX = 4 * 1024

/** Coalesces small lines into one write at the end of the current task, because each write is a system call. */
export class CoalescedWrites {
  readonly #response: ServerResponse
  #queued: Buffer[] = []
  #bytes = 0

  constructor(response: ServerResponse) {
    this.#response = response
  }

  /** Number of waiting bytes. */
  get bytes(): number {
    return this.#bytes
  }

  add(parts: readonly Buffer[]): void {
    if (this.#queued.length === 0) process.nextTick(() => this.flush())
    for (const part of parts) {
      this.#queued.push(part)
      this.#bytes += part.length
    }
  }

  flush(): void {
    if (this.#queued.length === 0) return
    const response = this.#response
    const parts = this.#queued
    const isSmall = this.#bytes <= JOINED_BYTES_MAX
    this.#queued = []
    this.#bytes = 0
    if (response.destroyed || response.writableEnded) return
    if (parts.length === 1) {
      response.write(parts[0])
      return
    }
    if (isSmall) {
      response.write(Buffer.concat(parts))
      return
    }
    response.cork()
    for (const part of parts) response.write(part)
    response.uncork()
  }
}
