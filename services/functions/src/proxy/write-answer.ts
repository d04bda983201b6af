import type { ServerResponse } from 'node:http'

/** Bytes of a first part that may wait for the end of the answer. */
const HELD_BYTES_MAX = 16_384

export interface AnswerWriter {
  begin(status: number, headers: string[]): void
  /** @returns false when the caller reads slower than this comes: it emits `drain` */
  write(chunk: Buffer): boolean
  end(): void
}

/**
 * Writes an answer as it comes. What comes at once, head, body and end, goes to the kernel at once: three writes cost more than all else that a short answer
 * takes. Nothing waits longer than until the event loop goes on, since what a function streams may begin long after its head.
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
      // As text of one byte for each character it becomes one piece with the head.
      if (!isFlushed && held) raw.end(held.toString('latin1'), 'latin1')
      else raw.end()
      isFlushed = true
    },
  }
}
