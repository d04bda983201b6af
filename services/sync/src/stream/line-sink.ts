import type { ServerResponse } from 'node:http'
import type { ControlLine } from '@holdfast/protocol'
import { dataLine, encodeControlLine, type EncodedOps, type LineFormat } from '../encode/lines.ts'
import { STALLED_READER_MS } from '../limits.ts'

/** Writes lines to one client, no faster than it reads. */
export interface LineSink {
  control(line: ControlLine): Promise<void>
  data(bucket: string, after: number, hasMore: boolean, ops: EncodedOps): Promise<void>
  end(): void
}

/**
 * @param response - its head is written already
 * @param onStalled - called when the client takes nothing for a minute; the connection is then destroyed
 */
export function createLineSink(response: ServerResponse, format: LineFormat, onStalled: () => void): LineSink {
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

  return {
    async control(line) {
      if (response.destroyed) return
      response.write(encodeControlLine(format, line))
      await drained()
    },
    async data(bucket, after, hasMore, ops) {
      if (response.destroyed) return
      const parts = dataLine(format, { bucket, after: String(after), hasMore, ops })
      response.cork()
      for (const part of parts) response.write(part)
      response.uncork()
      await drained()
    },
    end() {
      response.end()
    },
  }
}
