import { delay, errorMessage, type Logger } from '@holdfast/foundation'

/** Milliseconds that further changes of the schema are waited for before policies are compiled again: no request waits for it. */
const SETTLE_MS = 500

export interface KeepCompiledOptions {
  /** Compiles policies, and remembers what each table needed. */
  readonly compile: (signal: AbortSignal) => Promise<unknown>
  readonly signal: AbortSignal
  readonly logger: Logger
}

/** Compiles ahead of a takeover. */
export interface KeepCompiled extends AsyncDisposable {
  /** There is something to compile. */
  changed(): void
}

/**
 * Keeps what the compiler remembers current while another process has the lease, so that a takeover compiles only what changed in the last moment. Disposal
 * waits for a compilation that is running: what it has done need not be done again.
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
