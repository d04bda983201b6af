import type { EncodedFrame } from '../wire/frames.ts'

/** A connection with unsent bytes. */
interface Slow {
  readonly heldBytes: number
  settle(): void
  /** Disconnects immediately and releases its bytes. */
  cut(): void
}

/** Global limit for bytes waiting for slow clients. A message shared by many clients counts once, as it does in memory. */
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

  /** Disconnects the slowest clients while above the limit. */
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
