import { ProtocolError } from './server-error.ts'

const HEAD_BYTES = 5

/** Postgres's message size limit (`PQ_LARGE_MESSAGE_LIMIT`, rounded up). */
const MESSAGE_BYTES_MAX = 1024 * 1024 * 1024

/** Returned by a handler if the following bytes belong to another reader. */
export const LAST = Symbol('last message')

/** Receives one server message: its type and the position of its body in `buffer`. References to the body keep the whole buffer in memory. */
export type MessageHandler = (type: number, buffer: Buffer, start: number, end: number) => typeof LAST | void

export interface FramerOptions {
  readonly onMessage: MessageHandler
  /** Whether to skip a message, by type and length including the header. Default: none. */
  readonly isSkipped?: (type: number, length: number) => boolean
}

/**
 * Consumes a connection's chunks in order.
 *
 * @returns the bytes after the message that the handler called the last one
 * @throws {ProtocolError} on invalid data; the connection is unusable afterwards
 */
export type Framer = (chunk: Buffer) => Buffer | undefined

/**
 * Splits a Postgres connection's bytes into messages. Messages within a chunk are passed in place; one spanning chunks is copied once into a buffer of its
 * size.
 */
export function createFramer({ onMessage, isSkipped }: FramerOptions): Framer {
  /** Up to four bytes of the next message. */
  let head: Buffer | undefined
  /** A message with `filled` bytes received. */
  let partial: Buffer | undefined
  let filled = 0
  /** Remaining bytes of a skipped message. */
  let skipping = 0

  /** @returns the start of the next message */
  function resume(chunk: Buffer): number {
    if (skipping > 0) {
      const past = Math.min(skipping, chunk.length)
      skipping -= past
      return past
    }
    if (partial === undefined) return 0
    const copied = chunk.copy(partial, filled)
    filled += copied
    return copied
  }

  return (incoming) => {
    const chunk = head === undefined ? incoming : Buffer.concat([head, incoming])
    head = undefined
    let offset = resume(chunk)
    if (partial !== undefined) {
      if (filled < partial.length) return undefined
      const whole = partial
      partial = undefined
      if (onMessage(whole[0] as number, whole, HEAD_BYTES, whole.length) === LAST) return behind(chunk, offset)
    }
    while (chunk.length - offset >= HEAD_BYTES) {
      const type = chunk[offset] as number
      const length = 1 + chunk.readUInt32BE(offset + 1)
      if (length < HEAD_BYTES || length > MESSAGE_BYTES_MAX) throw new ProtocolError(`a message of ${length} bytes`)
      const end = offset + length
      if (isSkipped?.(type, length)) {
        skipping = Math.max(0, end - chunk.length)
        offset = Math.min(end, chunk.length)
        continue
      }
      if (end > chunk.length) {
        partial = Buffer.allocUnsafe(length)
        filled = chunk.copy(partial, 0, offset)
        return undefined
      }
      const body = offset + HEAD_BYTES
      offset = end
      if (onMessage(type, chunk, body, end) === LAST) return behind(chunk, offset)
    }
    if (offset < chunk.length) head = Buffer.from(chunk.subarray(offset))
    return undefined
  }
}

function behind(chunk: Buffer, offset: number): Buffer | undefined {
  return offset < chunk.length ? chunk.subarray(offset) : undefined
}
