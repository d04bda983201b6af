/** Lets long work of many streams through bit by bit, in the order in which they ask: other streams have the event loop in between. */
export interface BulkTurns {
  /** Resolves when it is the caller's turn: one caller in each turn of the event loop. */
  next(): Promise<void>
}

export function createBulkTurns(): BulkTurns {
  const waiting: (() => void)[] = []

  function letOneThrough(): void {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(letOneThrough)
  }

  return {
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 1) setImmediate(letOneThrough)
      }),
  }
}
