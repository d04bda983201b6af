import type { DatabaseMessage } from './message-row.ts'

/**
 * Publishes messages in their order, a little in each turn of the event loop: a transaction with many of them, for a topic with many members, holds up nothing
 * else.
 */
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

  /** @returns how many there is no room for, which are dropped */
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
    // A queue that never runs empty must not keep what it has published; this copies each message once at most, on average.
    if (this.#next * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next)
      this.#next = 0
    }
    this.#isRunning = this.#waiting.length > 0
    if (this.#isRunning) setImmediate(this.#run)
  }

  /** Messages that it holds, published or not. */
  get held(): number {
    return this.#waiting.length
  }
}
