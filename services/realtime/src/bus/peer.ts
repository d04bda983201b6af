import { BUS_MESSAGE_BYTES_MAX } from '../limits.ts'
import { NodePresence } from './node-presence.ts'
import type { OpenedFrame } from './frame-cipher.ts'

const FIRST = 1
const LAST = 2

/** Bytes of a part beside its content. */
export const PART_OVERHEAD_BYTES = 1

/** Splits a message into the contents of frames. */
export function splitMessage(message: Buffer, contentBytesMax: number): readonly Buffer[] {
  const partMax = contentBytesMax - PART_OVERHEAD_BYTES
  const count = Math.max(1, Math.ceil(message.length / partMax))
  return Array.from({ length: count }, (_, index) => {
    const flags = (index === 0 ? FIRST : 0) | (index === count - 1 ? LAST : 0)
    return Buffer.concat([Buffer.of(flags), message.subarray(index * partMax, (index + 1) * partMax)])
  })
}

/** Another node as this one knows it. */
export class Peer {
  readonly presence = new NodePresence()
  /** Checks since its last frame. */
  silentChecks = 0
  /** Whether messages may have been lost since its presence was last read. */
  needsRepair = false
  /** Whether its presence was removed because it was silent. */
  isGone = false
  #number = 0
  #parts: Buffer[] = []
  #bytes = 0

  /**
   * Takes a frame.
   *
   * @returns `undefined` for a repeated one; otherwise whether frames before it were lost, and the message that it completes
   */
  take({ number, content }: OpenedFrame): { readonly isGap: boolean; readonly message?: Buffer } | undefined {
    if (number <= this.#number) return undefined
    const isGap = number !== this.#number + 1
    this.#number = number
    this.silentChecks = 0
    const flags = content[0] ?? 0
    const part = content.subarray(PART_OVERHEAD_BYTES)
    if (isGap || (flags & FIRST) !== 0) this.#dropParts()
    const isRest = (flags & FIRST) === 0
    // The rest of a message whose beginning was lost.
    if (isRest && this.#parts.length === 0) return { isGap }
    this.#parts.push(part)
    this.#bytes += part.length
    if (this.#bytes > BUS_MESSAGE_BYTES_MAX) {
      this.#dropParts()
      return { isGap: true }
    }
    if ((flags & LAST) === 0) return { isGap }
    const message = this.#parts.length === 1 ? part : Buffer.concat(this.#parts)
    this.#dropParts()
    return { isGap, message }
  }

  #dropParts(): void {
    this.#parts = []
    this.#bytes = 0
  }
}
