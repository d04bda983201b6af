/** Whether a task runs. */
export type TaskState =
  | 'idle'
  | 'running'
  /** Requested during the current run, which may have missed the reason: it runs again. */
  | 'outdated'
  | 'ended'

export type TaskEvent = 'requested' | 'run ended' | 'ended'

interface Transition {
  readonly state: TaskState
  /** Whether a run starts now. */
  readonly isStarting: boolean
}

/** One run at a time, and one more for all requests during it. Nothing starts once the task has ended. */
export function transition(state: TaskState, event: TaskEvent): Transition {
  if (state === 'ended' || event === 'ended') return { state: 'ended', isStarting: false }
  switch (event) {
    case 'requested':
      return state === 'idle' ? { state: 'running', isStarting: true } : { state: 'outdated', isStarting: false }
    case 'run ended':
      return state === 'outdated' ? { state: 'running', isStarting: true } : { state: 'idle', isStarting: false }
  }
}

/** Coalesces requests for a task: see {@link transition}. */
export class CoalescedTask {
  readonly #task: () => Promise<void>
  #state: TaskState = 'idle'
  #settled: Promise<void> = Promise.resolve()

  constructor(task: () => Promise<void>) {
    this.#task = task
  }

  get hasEnded(): boolean {
    return this.#state === 'ended'
  }

  /** Starts a run, or queues one more. Resolves after it; rejects with the error of the last run. Once ended, resolves immediately. */
  request(): Promise<void> {
    if (this.hasEnded) return Promise.resolve()
    if (this.#move('requested')) this.#settled = this.#run()
    return this.#settled
  }

  /** Starts no more runs. The current one is not interrupted. */
  end(): void {
    this.#move('ended')
  }

  async #run(): Promise<void> {
    let isStarting = true
    while (isStarting) {
      try {
        await this.#task()
        isStarting = this.#move('run ended')
      } catch (error) {
        isStarting = this.#move('run ended')
        if (!isStarting) throw error
      }
    }
  }

  #move(event: TaskEvent): boolean {
    const { state, isStarting } = transition(this.#state, event)
    this.#state = state
    return isStarting
  }
}
