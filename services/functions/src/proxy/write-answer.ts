import type { ServerResponse } from 'node:http'

/** First chunk up to this size may be held back until the response ends. */
const HELD_BYTES_MAX = 16_384

export interface AnswerWriter {
  begin(status: number, headers: string[]): void
  /** @returns false if the caller reads too slowly; `drain` follows */
  write(chunk: Buffer): boolean
  end(): void
}

/**
 * Streams a response. Head, body and end that are available together are sent in one system call, because three would dominate the cost of a short response.
 * Flushes at the latest in the next event loop turn, because a stream may start long after its head.
 */
export function writeAnswer(raw: ServerResponse): AnswerWriter {
  let held: Buffer | undefined
  let isFlushed = false
  function flush(): boolean {
    if (isFlushed || raw.destroyed) return true
    isFlushed = true
    if (!held) {
      raw.flushHeaders()
      return true
    }
    return raw.write(held)
  }
  return {
    begin(status, headers) {
      raw.writeHead(status, headers)
      setImmediate(flush)
    },
    write(chunk) {
      if (raw.destroyed) return true
      if (!isFlushed && !held && chunk.length <= HELD_BYTES_MAX) {
        held = chunk
        return true
      }
      flush()
      return raw.write(chunk)
    },
    end() {
      if (raw.destroyed) return
      // A latin1 string is combined with the head into one chunk.
      if (!isFlushed && held) raw.end(held.toString('latin1'), 'latin1')
      else raw.end()
      isFlushed = true
    },
  }
}
