export interface BatcherOptions<Request, Result> {
  /** @returns the results in the order of the requests */
  readonly run: (requests: readonly Request[]) => Promise<readonly Result[]>
  /** Batches that may run at once. */
  readonly concurrency: number
  /** Requests in one batch. */
  readonly batchMax: number
  /** Waiting requests with equal keys are run once. Default: each request is run. */
  readonly keyOf?: (request: Request) => unknown
  /** Starts batches at the end of the running task, so that requests of one task share a batch. Default: starts at once. */
  readonly collectsTask?: boolean
}

interface Waiting<Request, Result> extends PromiseWithResolvers<Result> {
  readonly request: Request
}

/**
 * Coalesces requests into batches. While the maximum number of batches is running, requests wait and share the next ones. A running batch never answers
 * requests that arrive after its start, so no result is older than its request.
 */
export function createBatcher<Request, Result>(
  options: BatcherOptions<Request, Result>,
): (request: Request) => Promise<Result> {
  const { concurrency, batchMax, keyOf, collectsTask = false } = options
  const waiting = new Map<unknown, Waiting<Request, Result>>()
  let running = 0

  function start(): void {
    while (running < concurrency && waiting.size > 0) {
      const batch: Waiting<Request, Result>[] = []
      for (const [key, one] of waiting) {
        waiting.delete(key)
        batch.push(one)
        if (batch.length === batchMax) break
      }
      running++
      void run(batch)
    }
  }

  async function run(batch: readonly Waiting<Request, Result>[]): Promise<void> {
    try {
      const results = await options.run(batch.map(({ request }) => request))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running--
      start()
    }
  }

  return (request) => {
    const key = keyOf ? keyOf(request) : Symbol('request')
    const same = waiting.get(key)
    if (same) return same.promise
    const one = { request, ...Promise.withResolvers<Result>() }
    waiting.set(key, one)
    if (collectsTask) queueMicrotask(start)
    else start()
    return one.promise
  }
}
