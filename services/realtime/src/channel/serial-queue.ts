/** Runs tasks sequentially. A synchronous task runs immediately if none is running, which avoids queueing. */
export class SerialQueue {
  readonly #waitingMax: number
  readonly #onFull: () => void
  readonly #onRoom: () => void
  readonly #onError: (error: unknown) => void
  #waiting: (() => void | Promise<void>)[] = []
  #isBusy = false
  #isFull = false

  constructor(options: {
    readonly waitingMax: number
    /** Called when the queue is full; the producer should pause. */
    readonly onFull: () => void
    readonly onRoom: () => void
    readonly onError: (error: unknown) => void
  }) {
    this.#waitingMax = options.waitingMax
    this.#onFull = options.onFull
    this.#onRoom = options.onRoom
    this.#onError = options.onError
  }

  /** Whether a new task would be queued. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Drops queued tasks. The running one finishes. */
  discard(): void {
    this.#waiting = []
  }

  run(task: () => void | Promise<void>): void {
    if (!this.#isBusy) {
      this.#start(task)
      return
    }
    this.#waiting.push(task)
    if (this.#isFull || this.#waiting.length < this.#waitingMax) return
    this.#isFull = true
    this.#onFull()
  }

  #start(task: () => void | Promise<void>): void {
    try {
      const running = task()
      if (!running) return
      this.#isBusy = true
      running.catch(this.#onError).finally(() => this.#next())
    } catch (error) {
      this.#onError(error)
    }
  }

  #next(): void {
    this.#isBusy = false
    const waiting = this.#waiting
    this.#waiting = []
    for (const [position, task] of waiting.entries()) {
      this.#start(task)
      if (!this.#isBusy) continue
      // A task may have queued others behind these.
      this.#waiting = [...waiting.slice(position + 1), ...this.#waiting]
      break
    }
    if (!this.#isFull || this.#waiting.length >= this.#waitingMax) return
    this.#isFull = false
    this.#onRoom()
  }
}
