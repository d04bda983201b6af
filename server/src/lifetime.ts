import type { Logger } from '@holdfast/foundation'

export interface LifetimeOptions {
  /** Opens everything. Ends early when the signal aborts. */
  readonly open: (signal: AbortSignal) => Promise<AsyncDisposable>
  /** Called after {@link REOPEN}, when everything is closed and before it is opened again. */
  readonly beforeReopen?: () => Promise<void>
  /** @param signal - the signal that caused it, if any */
  readonly onStopping: (signal?: NodeJS.Signals) => void
  /** Resolves with the exit code to close without a signal. */
  readonly until?: Promise<number>
  /** Called before the final closing. */
  readonly beforeClose?: () => Promise<void>
  readonly logger: Logger
  /** Whether to stop when the parent process ends. `npm` is a parent whose shell does not forward signals. */
  readonly watchParent: boolean
  /** Maximum time in ms from the signal until the process exits. Its child processes end with it. */
  readonly closeTimeoutMs: number
}

/** Time in ms in which repeated signals count as one: `npm` forwards what the terminal has already sent. */
const SIGNAL_ECHO_MS = 700

const PARENT_POLL_MS = 500

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Signal that makes a running server close and reopen. */
export const REOPEN = 'SIGUSR2'

/**
 * Opens, runs until Ctrl-C, SIGTERM or the end of the parent, and closes. {@link REOPEN} closes and opens again. A second signal ends the process
 * immediately. The only place that handles signals.
 *
 * @returns the exit code: 0 after a signal, 1 after an uncaught error
 * @throws what `open` throws
 */
export async function runUntilStopped(options: LifetimeOptions): Promise<number> {
  const stopping = new AbortController()
  let exitCode = 0
  let signalledAt: number | undefined
  let closeTimer: NodeJS.Timeout | undefined

  const endAfterTimeout = (): void => {
    closeTimer ??= setTimeout(() => {
      options.logger.log('error', 'closing takes too long; ending now')
      process.exit(1)
    }, options.closeTimeoutMs).unref()
  }
  const stop = (signal?: NodeJS.Signals): void => {
    if (stopping.signal.aborted) return
    options.onStopping(signal)
    // Also while opening, because a step may hang.
    endAfterTimeout()
    stopping.abort(new Error('stopped'))
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now()
    if (signalledAt !== undefined && now - signalledAt > SIGNAL_ECHO_MS) process.exit(130)
    signalledAt ??= now
    stop(signal)
  }
  let reopening = Promise.withResolvers<'reopen'>()
  const onReopen = (): void => reopening.resolve('reopen')
  const stopped = new Promise<'stop'>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve('stop'), { once: true }),
  )
  void options.until?.then((code) => {
    exitCode = code
    stop()
  })
  const onBug = (error: unknown): void => {
    options.logger.log('error', 'uncaught error', { error })
    exitCode = 1
    stop()
  }

  for (const signal of SIGNALS) process.on(signal, onSignal)
  if (options.beforeReopen) process.on(REOPEN, onReopen)
  process.on('uncaughtException', onBug)
  process.on('unhandledRejection', onBug)
  const parent = process.ppid
  const parentWatch = options.watchParent
    ? setInterval(() => process.ppid !== parent && stop(), PARENT_POLL_MS).unref()
    : undefined
  // Nothing else may keep the event loop alive, for example between a crashed Postgres and its successor.
  const alive = setInterval(() => undefined, 60_000)
  try {
    for (;;) {
      reopening = Promise.withResolvers()
      const opened = await options.open(stopping.signal)
      const next = await Promise.race([stopped, reopening.promise])
      if (next === 'reopen') endAfterTimeout()
      else await options.beforeClose?.()
      await opened[Symbol.asyncDispose]()
      if (stopping.signal.aborted) return exitCode
      clearTimeout(closeTimer)
      closeTimer = undefined
      await options.beforeReopen?.()
    }
  } catch (error) {
    // Opening was aborted because the process is stopping, which is not a failure.
    if (stopping.signal.aborted && error === stopping.signal.reason) return exitCode
    throw error
  } finally {
    clearTimeout(closeTimer)
    clearInterval(alive)
    clearInterval(parentWatch)
    for (const signal of SIGNALS) process.off(signal, onSignal)
    process.off(REOPEN, onReopen)
    process.off('uncaughtException', onBug)
    process.off('unhandledRejection', onBug)
  }
}
