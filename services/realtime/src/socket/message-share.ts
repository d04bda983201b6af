const WINDOW_MS = 1_000

/** A connection as it counts in the share of messages. */
export interface Sender {
  /** Nothing is read from it until it is released. */
  hold(): void
  release(): void
}

/**
 * Messages that the server takes per second. Above it, whoever has sent more than its share in this second is read on in the next one: a client that sends little
 * never waits for one that sends much.
 */
export class MessageShare {
  readonly #messagesMax: number
  readonly #counts = new Map<Sender, number>()
  readonly #held = new Set<Sender>()
  #messages = 0
  #isCounting = false

  /** @param messagesMax - 0 for no limit */
  constructor(messagesMax: number) {
    this.#messagesMax = messagesMax
  }

  take(sender: Sender): void {
    if (this.#messagesMax === 0) return
    if (!this.#isCounting) {
      this.#isCounting = true
      setTimeout(() => this.#nextWindow(), WINDOW_MS).unref()
    }
    const count = (this.#counts.get(sender) ?? 0) + 1
    this.#counts.set(sender, count)
    if (++this.#messages <= this.#messagesMax || this.#held.has(sender)) return
    if (count <= this.#messagesMax / this.#counts.size) return
    this.#held.add(sender)
    sender.hold()
  }

  #nextWindow(): void {
    this.#isCounting = false
    this.#messages = 0
    this.#counts.clear()
    const held = [...this.#held]
    this.#held.clear()
    for (const sender of held) sender.release()
  }
}
