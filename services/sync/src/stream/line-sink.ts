import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { ControlLine } from '@holdfast/protocol'
import { createGzipStream, type GzipStream } from '../encode/gzip.ts'
import { dataLine, encodeControlLine, type EncodedOps, type LineFormat } from '../encode/lines.ts'
import { STALLED_READER_MS } from '../limits.ts'
import { CoalescedWrites } from './coalesced-writes.ts'
import { ReaderPace } from './reader-pace.ts'

/** Writes lines to one client, no faster than it reads. */
export interface LineSink {
  control(line: ControlLine): Promise<void>
  /** Writes encoded lines, which may be shared with other devices of the same format. */
  lines(bytes: Buffer): Promise<void>
  readonly format: LineFormat
  /** Sizes of lines and slices to send. */
  readonly pace: Pick<ReaderPace, 'lineBytesMax' | 'sliceBytesMax'>
  data(bucket: string, after: number, hasMore: boolean, ops: EncodedOps): Promise<void>
  end(): void
  /** When the sink started to wait for the client to read, in milliseconds since the epoch; `undefined` if it does not wait. */
  readonly waitsSinceMs: number | undefined
}

/** Larger lines are not coalesced with later ones. */
const COALESCED_BYTES_MAX = 32 * 1024

export interface LineSinkOptions {
  /** The response, whose head has been written. */
  readonly response: ServerResponse
  readonly format: LineFormat
  /** Whether the head announced gzip. */
  readonly isCompressed: boolean
  /** Called when no byte has been sent for `stalledMs`; the connection is then destroyed. */
  readonly onStalled: () => void
  /** In ms; {@link STALLED_READER_MS} by default. */
  readonly stalledMs?: number
}

export function createLineSink(options: LineSinkOptions): LineSink {
  return new ResponseSink(options)
}

/** A class because every device has one: closures would take several times the memory. */
class ResponseSink implements LineSink {
  readonly format: LineFormat
  readonly pace = new ReaderPace()
  readonly #response: ServerResponse
  readonly #stalledMs: number
  readonly #gzip: GzipStream | undefined
  readonly #writes: CoalescedWrites
  /** A line being compressed; later lines wait for it. */
  #compressing: Promise<void> | undefined
  /** Resolves when the full connection has room again. */
  #draining: Promise<void> | undefined
  #drainingSinceMs = 0

  constructor({ response, format, isCompressed, onStalled, stalledMs = STALLED_READER_MS }: LineSinkOptions) {
    this.format = format
    this.#response = response
    this.#stalledMs = stalledMs
    this.#gzip = isCompressed ? createGzipStream() : undefined
    this.#writes = new CoalescedWrites(response)
    // The socket's own timer counts from the last sent byte, even within a write.
    response.on('timeout', () => {
      onStalled()
      response.destroy()
    })
  }

  get waitsSinceMs(): number | undefined {
    return this.#draining && this.#drainingSinceMs
  }

  lines(bytes: Buffer): Promise<void> {
    return this.#write([bytes])
  }

  control(line: ControlLine): Promise<void> {
    return this.#write([encodeControlLine(this.format, line)])
  }

  data(bucket: string, after: number, hasMore: boolean, ops: EncodedOps): Promise<void> {
    this.pace.sent(ops.bytes)
    return this.#write(dataLine(this.format, { bucket, after: String(after), hasMore, ops }))
  }

  end(): void {
    const response = this.#response
    if (this.#gzip && !this.#compressing) this.#writes.add(this.#gzip.end())
    this.#writes.flush()
    // Nothing waits for the remaining bytes, so a timeout must end the connection.
    if (response.writableLength > 0) response.setTimeout(this.#stalledMs)
    response.end()
  }

  async #write(parts: readonly Buffer[]): Promise<void> {
    if (this.#response.destroyed) return
    if (this.#gzip) await this.#compress(this.#gzip, parts)
    else this.#writes.add(parts)
    await this.#drained()
  }

  async #compress(gzip: GzipStream, parts: readonly Buffer[]): Promise<void> {
    while (this.#compressing) await this.#compressing
    const pieces = gzip.pieces(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts))
    if (!(pieces instanceof Promise)) {
      this.#writes.add(pieces)
      return
    }
    this.#compressing = pieces
      .then((made) => this.#writes.add(made))
      .finally(() => {
        this.#compressing = undefined
      })
    await this.#compressing
  }

  async #drained(): Promise<void> {
    if (this.#writes.bytes >= COALESCED_BYTES_MAX) this.#writes.flush()
    const full = this.#response.destroyed ? undefined : fullConnectionOf(this.#response)
    if (!full) return
    if (!this.#draining) this.#drainingSinceMs = Date.now()
    this.#draining ??= this.#drain(full).finally(() => {
      this.#draining = undefined
    })
    await this.#draining
  }

  async #drain(full: Writable): Promise<void> {
    const response = this.#response
    const began = performance.now()
    response.setTimeout(this.#stalledMs)
    await new Promise<void>((resolve) => {
      const done = (): void => {
        full.off('drain', done)
        response.off('close', done)
        resolve()
      }
      full.once('drain', done)
      response.once('close', done)
    })
    if (response.destroyed) return
    if (!response.writableEnded) response.setTimeout(0)
    this.pace.waited(performance.now() - began)
  }
}

/**
 * Checks whether a response must wait for its connection. Node's own result is unreliable: a response that writes several parts together counts them as one,
 * and if the system accepts only some of them and less than the socket's limit remains, it waits for a `drain` that never comes.
 *
 * @returns the emitter of the next `drain`; `undefined` if there is room
 */
export function fullConnectionOf(response: ServerResponse): Writable | undefined {
  // A pipelined response has no socket until the previous ones have ended.
  const connection = response.socket ?? response
  return connection.writableNeedDrain ? connection : undefined
}
