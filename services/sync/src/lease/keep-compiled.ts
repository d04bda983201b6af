import { delay, errorMessage, type Logger } from '@holdfast/foundation'

/** Delay in ms after the last schema change before policies are compiled. No request waits for it. */
const SETTLE_MS = 500

export interface KeepCompiledOptions {
  /** Compiles policies and caches the result per table. */
  readonly compile: (signal: AbortSignal) => Promise<unknown>
  readonly signal: AbortSignal
  readonly logger: Logger
}

/** Compiles ahead of a takeover. */
export interface KeepCompiled extends AsyncDisposable {
  /** Call after a schema change. */
  changed(): void
}

/**
 * Keeps the compiler's cache current while another process has the lease, so that a takeover compiles only the latest changes. Disposal waits for a running
 * compilation, because its result will be needed.
 */
export function keepCompiled({ compile, signal, logger }: KeepCompiledOptions): KeepCompiled {
  const ending = new AbortController()
  let isDue = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (isDue && !ending.signal.aborted && !signal.aborted) {
      isDue = false
      try {
        await compile(signal)
      } catch (error) {
        if (!signal.aborted)
          logger.log('debug', 'policies could not be compiled ahead of a takeover', { reason: errorMessage(error) })
      }
      await delay(SETTLE_MS, ending.signal).catch(() => undefined) // the takeover ends the loop
    }
    running = undefined
  }

  return {
    changed() {
      isDue = true
      running ??= run()
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('this process takes over'))
      await running
    },
  }
}
