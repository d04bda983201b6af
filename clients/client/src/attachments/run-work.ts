import type { FileWork } from './choose-work.ts'
import type { FileEntry } from './file-state.ts'
import { REST_MS } from './limits.ts'
// Not loaded late: the first photo may be taken where nothing can be loaded.
import { performWork, type WorkContext } from './perform-work.ts'
import { unreferenced } from './unreferenced.ts'
import { SignInNeeded } from './transfer/storage-endpoint.ts'

/** Running work for files, one task for each. */
export interface WorkRunner {
  readonly busy: ReadonlyMap<string, FileWork['kind']>
  start(work: FileWork): void
  /** A transfer ends when transfers pause, when the person stops it, and when its file is no longer in the table. */
  stopWhatMayNot(files: readonly FileEntry[], isOpen: boolean): void
  /** Stops everything, and waits until it has ended. */
  end(): Promise<void>
}

export interface WorkRunnerOptions extends WorkContext {
  /** Nothing can be sent or fetched until the person has signed in. */
  readonly onSignInNeeded: () => void
  /** Something has ended, and the next may begin. */
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

  /** Not at once again: what failed here would fail in a loop. Where it could not even be written down that it failed, it seems to be under way until then. */
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
