import type { Duplex } from 'node:stream'
import { WRITE_THROUGH_BYTES } from '../limits.ts'
import type { EncodedFrame } from '../wire/frames.ts'
import type { UnsentBytes } from './unsent-bytes.ts'

/** Batches all writes of an event loop turn into one system call per client. */
export class Flusher {
  #waiting: Outbox[] = []

  add(outbox: Outbox): void {
    if (this.#waiting.push(outbox) === 1) setImmediate(this.#flush)
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    for (const outbox of waiting) outbox.flush()
  }
}

/** Frames waiting to be written to one client. */
export class Outbox {
  readonly #socket: Duplex
  readonly #flusher: Flusher
  readonly #unsent: UnsentBytes
  readonly #bytesMax: number
  readonly #onTooSlow: () => void
  readonly #onCut: () => void
  #isCorked = false
  /** Since the last flush. */
  #written: EncodedFrame[] = []
  /** Frames not accepted by the system, in order. The first ones may be partly sent. */
  #held: EncodedFrame[] = []
  #heldBytes = 0

  /** @param socket - of a WebSocket without extensions; frames are written directly to it */
  constructor(
    socket: Duplex,
    shared: { readonly flusher: Flusher; readonly unsent: UnsentBytes },
    limit: { readonly bytesMax: number; readonly onTooSlow: () => void; readonly onCut: () => void },
  ) {
    this.#socket = socket
    this.#flusher = shared.flusher
    this.#unsent = shared.unsent
    this.#bytesMax = limit.bytesMax
    this.#onTooSlow = limit.onTooSlow
    this.#onCut = limit.onCut
  }

  /** Bytes not accepted by the client. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  write(frame: EncodedFrame): void {
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      this.#flusher.add(this)
    }
    this.#written.push(frame)
    this.#socket.write(frame.bytes)
    if (this.#socket.writableLength > WRITE_THROUGH_BYTES) this.flush()
  }

  flush(): void {
    if (!this.#isCorked) return
    this.#isCorked = false
    const written = this.#written
    this.#written = []
    this.#socket.uncork()
    if (this.#socket.writableLength > 0) this.#hold(written)
    else this.clear()
  }

  /** Releases frames sent meanwhile. */
  settle(): void {
    const waiting = this.#socket.writableLength
    let sent = 0
    for (const { bytes } of this.#held) {
      if (this.#heldBytes - bytes.length < waiting) break
      this.#heldBytes -= bytes.length
      sent++
    }
    for (const frame of this.#held.splice(0, sent)) this.#unsent.release(frame)
    if (this.#held.length === 0) this.#unsent.remove(this)
  }

  /** Releases everything: all is sent, or the connection has ended. */
  clear(): void {
    if (this.#held.length === 0) return
    for (const frame of this.#held) this.#unsent.release(frame)
    this.#held = []
    this.#heldBytes = 0
    this.#unsent.remove(this)
  }

  cut(): void {
    this.clear()
    this.#onCut()
  }

  #hold(written: readonly EncodedFrame[]): void {
    for (const frame of written) {
      this.#held.push(frame)
      this.#heldBytes += frame.bytes.length
      this.#unsent.hold(frame)
    }
    this.#unsent.add(this)
    this.settle()
    if (this.#socket.writableLength > this.#bytesMax) this.#onTooSlow()
    else this.#unsent.relieve()
  }
}
