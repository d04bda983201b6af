import { assert } from '@holdfast/foundation'

export interface BatchQueueOptions {
  /** A batch is delivered at this many items, at `bytesMax`, or at the end. */
  readonly itemsMin: number
  readonly itemsMax: number
  /** Waiting wire bytes at which the source must pause. */
  readonly bytesMax: number
  /** Called when full; the source should pause. */
  readonly onFull: () => void
  /** Called when there is room again. */
  readonly onRoom: () => void
}

/** Bounded queue from a socket to a single consumer; pauses the socket when full. */
export interface BatchQueue<T> {
  /** Takes ownership of `items`. */
  push(items: T[], bytes: number): void
  /** Ends the queue: remaining items are delivered, then the iteration ends or throws `error`. */
  end(error?: Error): void
  /** Drops remaining items and ends the iteration. */
  discard(): void
  /** Returns the next non-empty batch; `undefined` at the end. One call at a time. */
  take(): Promise<readonly T[] | undefined>
}

export function createBatchQueue<T>(options: BatchQueueOptions): BatchQueue<T> {
  const { itemsMin, itemsMax, bytesMax } = options
  let waiting: T[] = []
  let waitingBytes = 0
  let ended = false
  let failure: Error | undefined
  let full = false
  let wake: (() => void) | undefined

  const isReady = (): boolean => ended || waiting.length >= itemsMin || waitingBytes >= bytesMax

  function settle(): void {
    if (!isReady() || wake === undefined) return
    const resume = wake
    wake = undefined
    resume()
  }

  function cut(): readonly T[] {
    const batch = waiting.length <= itemsMax ? waiting : waiting.splice(0, itemsMax)
    if (batch === waiting) {
      waiting = []
      waitingBytes = 0
    } else {
      waitingBytes = Math.round((waitingBytes * waiting.length) / (waiting.length + batch.length))
    }
    if (full && waitingBytes < bytesMax) {
      full = false
      options.onRoom()
    }
    return batch
  }

  return {
    push(items, bytes) {
      waitingBytes += bytes
      if (waiting.length === 0) waiting = items
      else for (const item of items) waiting.push(item)
      settle()
      if (!full && waitingBytes >= bytesMax) {
        full = true
        options.onFull()
      }
    },
    end(error) {
      ended = true
      failure ??= error
      settle()
    },
    discard() {
      waiting = []
      waitingBytes = 0
      failure = undefined
      ended = true
      settle()
    },
    async take() {
      assert(wake === undefined, 'one consumer takes one batch at a time')
      if (!isReady()) await new Promise<void>((resolve) => (wake = resolve))
      if (waiting.length > 0) return cut()
      if (failure === undefined) return undefined
      throw failure
    },
  }
}
