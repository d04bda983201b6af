import type { DatabaseMessage } from '../bus/bus.ts'

/** Publishes messages in order, within a time budget per event loop turn, so that a large transaction does not block the server. */
export class PublishQueue {
  readonly #publish: (message: DatabaseMessage) => void
  readonly #limits: { readonly messagesMax: number; readonly bytesMax: number; readonly turnMs: number }
  #waiting: DatabaseMessage[] = []
  #next = 0
  #bytes = 0
  #isRunning = false

  constructor(
    limits: { readonly messagesMax: number; readonly bytesMax: number; readonly turnMs: number },
    publish: (message: DatabaseMessage) => void,
  ) {
    this.#limits = limits
    this.#publish = publish
  }

  /** @returns the number of messages dropped for lack of room */
  add(messages: readonly DatabaseMessage[]): number {
    let dropped = 0
    for (const message of messages) {
      const bytes = message.broadcast.payload.length
      const isFull =
        this.#waiting.length - this.#next >= this.#limits.messagesMax || this.#bytes + bytes > this.#limits.bytesMax
      if (isFull) {
        dropped++
        continue
      }
      this.#waiting.push(message)
      this.#bytes += bytes
    }
    if (!this.#isRunning) this.#run()
    return dropped
  }

  readonly #run = (): void => {
    const until = performance.now() + this.#limits.turnMs
    do {
      const message = this.#waiting[this.#next]
      if (!message) break
      this.#next++
      this.#bytes -= message.broadcast.payload.length
      this.#publish(message)
    } while (performance.now() < until)
    // Compact, so that a never empty queue releases published messages. Amortized, each message is copied at most once.
    if (this.#next * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next)
      this.#next = 0
    }
    this.#isRunning = this.#waiting.length > 0
    if (this.#isRunning) setImmediate(this.#run)
  }

  /** Number of messages held, published or not. */
  get held(): number {
    return this.#waiting.length
  }
}
