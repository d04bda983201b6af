import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface BackendProblem {
  readonly message: string
  readonly detail?: string
  readonly hint?: string
}

/** A Holdfast server shared by one or more development servers. */
export interface Backend {
  /** URL and keys, under the names that Vite exposes to the app. */
  readonly environment: Readonly<Record<string, string>>
  /** Why the project could not be applied to the database, if so. */
  readonly problem: BackendProblem | undefined
  /** Calls `listener` when a problem appears or disappears. @returns unsubscribes */
  onProblem(listener: (problem: BackendProblem | undefined) => void): () => void
  /** Ends the server once unused: when restarting, Vite opens the new server before closing the old one. */
  release(): void
}

interface Running {
  readonly backend: Promise<Backend>
  readonly child: ChildProcess
  users: number
}

/** Running backends, shared per process, because restarting Vite may load the plugin as another module. */
const RUNNING = ((globalThis as { [key: symbol]: unknown })[Symbol.for('holdfast.vite')] ??= new Map()) as Map<
  string,
  Running
>

const PROGRAM = fileURLToPath(new URL('../../bin/holdfast.cjs', import.meta.url))

/** Characters of output shown in an error. */
const TAIL_MAX = 3_000

/**
 * Starts `holdfast dev` on a folder, or shares the one already running in this process.
 *
 * @throws if it ends before it is ready, with its output
 */
export async function acquireBackend(folder: string, args: readonly string[]): Promise<Backend> {
  const key = JSON.stringify([folder, args])
  const found = RUNNING.get(key)
  const running = found ?? startBackend(folder, args, () => RUNNING.delete(key))
  if (!found) RUNNING.set(key, running)
  running.users++
  const backend = await running.backend
  return {
    environment: backend.environment,
    get problem() {
      return backend.problem
    },
    onProblem: (listener) => backend.onProblem(listener),
    release() {
      if (--running.users > 0) return
      RUNNING.delete(key)
      backend.release()
    },
  }
}

function startBackend(folder: string, args: readonly string[], onExit: () => void): Running {
  const child = spawn(process.execPath, [PROGRAM, 'dev', '--json', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = (): void => void child.kill('SIGTERM')
  process.once('exit', end)
  child.once('exit', () => {
    process.off('exit', end)
    onExit()
  })
  return { child, backend: followBackend(child, end), users: 0 }
}

function followBackend(child: ChildProcess, end: () => void): Promise<Backend> {
  const listeners = new Set<(problem: BackendProblem | undefined) => void>()
  let problem: BackendProblem | undefined
  let tail = ''
  child.stderr?.on('data', (data: Buffer) => {
    tail = `${tail}${data.toString()}`.slice(-TAIL_MAX)
    process.stderr.write(data)
  })
  const ready = Promise.withResolvers<Backend>()
  child.once('error', ready.reject)
  child.once('exit', () => ready.reject(new Error(`Holdfast ended before it was ready:\n${tail.trim()}`)))
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as {
        readonly base?: string
        readonly publishableKey?: string
        readonly anonKey?: string
        readonly problem?: BackendProblem
      }
      if (line.base === undefined) {
        const had = problem
        problem = line.problem
        if (had || problem) for (const listener of listeners) listener(problem)
        return
      }
      ready.resolve({
        environment: {
          VITE_SUPABASE_URL: line.base,
          VITE_SUPABASE_PUBLISHABLE_KEY: line.publishableKey ?? '',
          VITE_SUPABASE_ANON_KEY: line.anonKey ?? '',
        },
        get problem() {
          return problem
        },
        onProblem(listener) {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
        release: end,
      })
    })
  return ready.promise
}
