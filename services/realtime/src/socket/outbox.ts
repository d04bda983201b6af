import type { Duplex } from 'node:stream'
import { WRITE_THROUGH_BYTES } from '../limits.ts'
import type { EncodedFrame } from '../wire/frames.ts'
import type { UnsentBytes } from './unsent-bytes.ts'

/** Writes what has come for the clients in one turn of the event loop with one call to the system for each of them. */
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

/** The frames that wait to be written to one client. */
export class Outbox {
  readonly #socket: Duplex
  readonly #flusher: Flusher
  readonly #unsent: UnsentBytes
  readonly #bytesMax: number
  readonly #onTooSlow: () => void
  readonly #onCut: () => void
  #isCorked = false
  /** Since it was flushed. */
  #written: EncodedFrame[] = []
  /** What the system has not taken, in order. What has been taken of the first ones is not known. */
  #held: EncodedFrame[] = []
  #heldBytes = 0

  /** @param socket - that of a WebSocket without extensions, whose frames are written beside those of its owner */
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

  /** Bytes that the client has not taken. */
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

  /** Lets go of what has been taken meanwhile. */
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

  /** Holds nothing any more: all is sent, or the connection has ended. */
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
