import { delay } from '@holdfast/foundation'
import { END_REASON_MS } from '../limits.ts'

/** Finds out whether a process is about to end, by waiting for its answer or its end. */
export class LivenessCheck {
  readonly #ping: (id: number) => void
  readonly #ended: Promise<unknown>
  #pings = 0
  #onPong: (id: number) => void = () => undefined
  #checking: Promise<void> | undefined

  /** @param ping - sends the process a number, with which it answers */
  constructor(ping: (id: number) => void, ended: Promise<unknown>) {
    this.#ping = ping
    this.#ended = ended
  }

  /** Begins a check, unless one is under way. */
  begin(): void {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
  }

  /** Resolves when the check that is under way, if any, has ended. */
  async settled(): Promise<void> {
    await this.#checking
  }

  /** The process has answered the ping with this number. */
  answered(id: number): void {
    this.#onPong(id)
  }

  async #check(): Promise<void> {
    const id = ++this.#pings
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    this.#onPong = (found) => found === id && resolve()
    this.#ping(id)
    await Promise.race([answered, this.#ended, delay(END_REASON_MS)])
  }
}
