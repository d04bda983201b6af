import type { ServerResponse } from 'node:http'
import type { ControlLine } from '@holdfast/protocol'
import { createGzipStream } from '../encode/gzip.ts'
import { dataLine, encodeControlLine, type EncodedOps, type LineFormat } from '../encode/lines.ts'
import { STALLED_READER_MS } from '../limits.ts'

/** Writes lines to one client, no faster than it reads. */
export interface LineSink {
  control(line: ControlLine): Promise<void>
  data(bucket: string, after: number, hasMore: boolean, ops: EncodedOps): Promise<void>
  end(): void
}

export interface LineSinkOptions {
  /** Its head is written already. */
  readonly response: ServerResponse
  readonly format: LineFormat
  /** Whether the head said so. */
  readonly isCompressed: boolean
  /** Called when the client takes nothing for a minute; the connection is then destroyed. */
  readonly onStalled: () => void
}

export function createLineSink({ response, format, isCompressed, onStalled }: LineSinkOptions): LineSink {
  const gzip = isCompressed ? createGzipStream() : undefined
  /** A line that is being compressed; those after it wait. */
  let compressing: Promise<void> | undefined

  async function drained(): Promise<void> {
    if (!response.writableNeedDrain || response.destroyed) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        onStalled()
        response.destroy()
      }, STALLED_READER_MS)
      const done = (): void => {
        clearTimeout(timer)
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      response.once('drain', done)
      response.once('close', done)
    })
  }

  function writeAll(parts: readonly Buffer[]): void {
    if (response.destroyed || response.writableEnded) return
    if (parts.length === 1) {
      response.write(parts[0])
      return
    }
    response.cork()
    for (const part of parts) response.write(part)
    response.uncork()
  }

  async function write(parts: readonly Buffer[]): Promise<void> {
    if (response.destroyed) return
    if (!gzip) writeAll(parts)
    else {
      while (compressing) await compressing
      const pieces = gzip.pieces(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts))
      if (!(pieces instanceof Promise)) writeAll(pieces)
      else {
        compressing = pieces.then(writeAll).finally(() => (compressing = undefined))
        await compressing
      }
    }
    await drained()
  }

  return {
    control: (line) => write([encodeControlLine(format, line)]),
    data: (bucket, after, hasMore, ops) => write(dataLine(format, { bucket, after: String(after), hasMore, ops })),
    end() {
      if (gzip && !compressing) writeAll(gzip.end())
      response.end()
    },
  }
}
