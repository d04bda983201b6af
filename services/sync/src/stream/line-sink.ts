import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { ControlLine } from '@holdfast/protocol'
import { createGzipStream } from '../encode/gzip.ts'
import { dataLine, encodeControlLine, type EncodedOps, type LineFormat } from '../encode/lines.ts'
import { STALLED_READER_MS } from '../limits.ts'
import { CoalescedWrites } from './coalesced-writes.ts'
import { fullConnectionOf } from './full-connection.ts'
import { createReaderPace, type ReaderPace } from './reader-pace.ts'

/** Writes lines to one client, no faster than it reads. */
export interface LineSink {
  control(line: ControlLine): Promise<void>
  /** Lines in the format of this sink, which other devices may get as well. */
  lines(bytes: Buffer): Promise<void>
  readonly format: LineFormat
  /** How much to send at once. */
  readonly pace: Pick<ReaderPace, 'lineBytesMax' | 'sliceBytesMax'>
  data(bucket: string, after: number, hasMore: boolean, ops: EncodedOps): Promise<void>
  end(): void
}

/** Lines of more bytes than this do not wait for those after them. */
const COALESCED_BYTES_MAX = 32 * 1024

export interface LineSinkOptions {
  /** Its head is written already. */
  readonly response: ServerResponse
  readonly format: LineFormat
  /** Whether the head announced it. */
  readonly isCompressed: boolean
  /** Called when not a byte has left for so long; the connection is then destroyed. */
  readonly onStalled: () => void
  /** Milliseconds; {@link STALLED_READER_MS} by default. */
  readonly stalledMs?: number
}

export function createLineSink(options: LineSinkOptions): LineSink {
  const { response, format, isCompressed, onStalled, stalledMs = STALLED_READER_MS } = options
  const gzip = isCompressed ? createGzipStream() : undefined
  /** A line that is being compressed; those after it wait. */
  let compressing: Promise<void> | undefined
  const writes = new CoalescedWrites(response)
  /** The connection is full; those who wait for room. */
  let draining: Promise<void> | undefined
  const pace = createReaderPace()

  // The socket's own timer runs from the last byte that left it, also in the middle of a write.
  response.on('timeout', () => {
    onStalled()
    response.destroy()
  })

  async function drained(): Promise<void> {
    if (writes.bytes >= COALESCED_BYTES_MAX) writes.flush()
    const full = response.destroyed ? undefined : fullConnectionOf(response)
    if (full) await (draining ??= drain(full).finally(() => (draining = undefined)))
  }

  async function drain(full: Writable): Promise<void> {
    const began = performance.now()
    response.setTimeout(stalledMs)
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
    pace.waited(performance.now() - began)
  }

  async function write(parts: readonly Buffer[]): Promise<void> {
    if (response.destroyed) return
    if (!gzip) writes.add(parts)
    else {
      while (compressing) await compressing
      const pieces = gzip.pieces(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts))
      if (!(pieces instanceof Promise)) writes.add(pieces)
      else {
        compressing = pieces.then((parts) => writes.add(parts)).finally(() => (compressing = undefined))
        await compressing
      }
    }
    await drained()
  }

  return {
    format,
    pace,
    lines: (bytes) => write([bytes]),
    control: (line) => write([encodeControlLine(format, line)]),
    data(bucket, after, hasMore, ops) {
      pace.sent(ops.bytes)
      return write(dataLine(format, { bucket, after: String(after), hasMore, ops }))
    },
    end() {
      if (gzip && !compressing) writes.add(gzip.end())
      writes.flush()
      // Nothing waits for the rest, and it must not stay for ever either.
      if (response.writableLength > 0) response.setTimeout(stalledMs)
      response.end()
    },
  }
}
