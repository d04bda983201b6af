/** Runs tasks one at a time, in the order in which they came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** The result is the task's. The next task runs even if this one fails. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when all tasks so far have ended. */
  async settled(): Promise<void> {
    await this.#last
  }
}
