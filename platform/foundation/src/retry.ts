export interface OutwaitOptions {
  /** Maximum sum of the pauses in ms. Other delays do not count, so a stalled process makes as many attempts as any other. */
  readonly timeoutMs: number
  readonly pauseMs: number
  /** Whether the failure is transient. */
  readonly passes: (error: unknown) => Promise<boolean>
}

/** Retries an attempt while it fails for a transient reason, for a bounded time. */
export async function outwait<T>(attempt: () => Promise<T>, options: OutwaitOptions): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += options.pauseMs) {
    try {
      return await attempt()
    } catch (error) {
      if (waitedMs >= options.timeoutMs || !(await options.passes(error))) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, options.pauseMs))
  }
}

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. The timer keeps the process alive until then. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error)
      return
    }
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
