import type { FileWork } from './choose-work.ts'
import type { FileEntry } from './file-state.ts'
import { REST_MS } from './limits.ts'
// Not loaded lazily: the first photo may be taken offline.
import { performWork, type WorkContext } from './perform-work.ts'
import { unreferenced } from './unreferenced.ts'
import { SignInNeeded } from './transfer/storage-endpoint.ts'

/** Runs at most one task per file. */
export interface WorkRunner {
  readonly busy: ReadonlyMap<string, FileWork['kind']>
  start(work: FileWork): void
  /** Stops transfers that are paused, or whose file is no longer in the table. */
  stopWhatMayNot(files: readonly FileEntry[], isOpen: boolean): void
  /** Stops everything and waits for its end. */
  end(): Promise<void>
}

export interface WorkRunnerOptions extends WorkContext {
  /** Called when transfers require signing in. */
  readonly onSignInNeeded: () => void
  /** Called when a task has ended and the next may start. */
  readonly onFree: () => void
}

export function createWorkRunner(options: WorkRunnerOptions): WorkRunner {
  const busy = new Map<string, FileWork['kind']>()
  const stops = new Map<string, AbortController>()
  const running = new Set<Promise<void>>()
  let hasEnded = false

  return {
    busy,
    start(work) {
      const performing = run(work)
      running.add(performing)
      void performing.then(() => running.delete(performing))
    },
    stopWhatMayNot(files, isOpen) {
      const kept = new Map(files.map((file) => [file.id, file]))
      for (const [id, kind] of busy) {
        if (kind !== 'send' && kind !== 'fetch') continue
        const file = kept.get(id)
        if (!isOpen || !file || file.isPaused) stop(id)
      }
    },
    async end() {
      hasEnded = true
      for (const id of busy.keys()) stop(id)
      await Promise.all(running)
    },
  }

  async function run(work: FileWork): Promise<void> {
    const { id } = work.file
    const controller = new AbortController()
    busy.set(id, work.kind)
    stops.set(id, controller)
    try {
      await performWork(options, work, controller.signal)
      release(id)
    } catch (error) {
      if (error instanceof SignInNeeded) {
        options.onSignInNeeded()
        return release(id)
      }
      if (!hasEnded) options.onProblem(error)
      rest(id)
    }
  }

  /** Delays the next attempt, which would fail in a loop. Until then the file appears busy if the failure could not be recorded. */
  function rest(id: string): void {
    const restore = async (): Promise<void> => {
      if (hasEnded) return
      try {
        await options.table.apply(id, { kind: 'interrupted' })
        release(id)
      } catch (error) {
        if (hasEnded) return
        options.onProblem(error)
        rest(id)
      }
    }
    unreferenced(setTimeout(() => void restore(), REST_MS))
  }

  function stop(id: string): void {
    stops.get(id)?.abort(new Error('The transfer was stopped on this device.'))
  }

  function release(id: string): void {
    busy.delete(id)
    stops.delete(id)
    if (!hasEnded) options.onFree()
  }
}
