const WINDOW_MS = 1_000

/** A connection in the message share. */
export interface Sender {
  /** Stops reading from it until released. */
  hold(): void
  release(): void
}

/**
 * Global message rate limit. Above it, connections that exceeded their share in this second are read again in the next one, so light senders are never delayed
 * by heavy ones.
 */
export class MessageShare {
  readonly #messagesMax: number
  readonly #counts = new Map<Sender, number>()
  readonly #held = new Set<Sender>()
  #messages = 0
  #isCounting = false

  /** @param messagesMax - 0 for unlimited */
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
