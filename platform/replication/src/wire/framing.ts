const HEADER_BYTES = 5

/**
 * Receives one message of the server: its type byte and where its body stands in `buffer`. The buffer is only lent for the
 * call.
 */
export type MessageHandler = (type: number, buffer: Buffer, start: number, end: number) => void

/**
 * Cuts the bytes of a Postgres connection into messages. Messages inside one chunk are handed on in place; one that spans
 * chunks is copied once into a buffer of its size, however many chunks it takes.
 *
 * @returns a function that takes the chunks in order
 */
export function createFramer(onMessage: MessageHandler): (chunk: Buffer) => void {
  let header: Buffer | undefined
  let partial: Buffer | undefined
  let filled = 0

  return (incoming) => {
    let chunk = incoming
    let offset = 0
    if (header !== undefined) {
      chunk = Buffer.concat([header, incoming])
      header = undefined
    }
    if (partial !== undefined) {
      offset = Math.min(chunk.length, partial.length - filled)
      chunk.copy(partial, filled, 0, offset)
      filled += offset
      if (filled < partial.length) return
      const whole = partial
      partial = undefined
      onMessage(whole[0] as number, whole, HEADER_BYTES, whole.length)
    }
    while (chunk.length - offset >= HEADER_BYTES) {
      const end = offset + 1 + chunk.readUInt32BE(offset + 1)
      if (end > chunk.length) {
        partial = Buffer.allocUnsafe(end - offset)
        filled = chunk.copy(partial, 0, offset)
        return
      }
      onMessage(chunk[offset] as number, chunk, offset + HEADER_BYTES, end)
      offset = end
    }
    if (offset < chunk.length) header = Buffer.from(chunk.subarray(offset))
  }
}
