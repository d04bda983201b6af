import type { EncodedFrame } from '../wire/frames.ts'

/** A connection of which bytes wait for the client. */
interface Slow {
  readonly heldBytes: number
  settle(): void
  /** Ends the connection at once: it holds nothing any more. */
  cut(): void
}

/** Bytes that wait for slow clients, of all connections together. What waits for many of them is in memory once, and counts once. */
export class UnsentBytes {
  readonly #bytesMax: number
  readonly #holders = new Map<EncodedFrame, number>()
  readonly #slow = new Set<Slow>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  add(slow: Slow): void {
    this.#slow.add(slow)
  }

  remove(slow: Slow): void {
    this.#slow.delete(slow)
  }

  hold(frame: EncodedFrame): void {
    const holders = this.#holders.get(frame) ?? 0
    this.#holders.set(frame, holders + 1)
    if (holders === 0) this.#bytes += frame.bytes.length
  }

  release(frame: EncodedFrame): void {
    const holders = this.#holders.get(frame) ?? 0
    if (holders > 1) this.#holders.set(frame, holders - 1)
    else if (this.#holders.delete(frame)) this.#bytes -= frame.bytes.length
  }

  /** Ends the slowest connections when more waits than may. */
  relieve(): void {
    if (this.#bytes <= this.#bytesMax) return
    for (const slow of this.#slow) slow.settle()
    while (this.#bytes > this.#bytesMax) {
      let slowest: Slow | undefined
      for (const slow of this.#slow) if (!slowest || slow.heldBytes > slowest.heldBytes) slowest = slow
      if (!slowest) return
      slowest.cut()
      this.#slow.delete(slowest)
    }
  }
}
