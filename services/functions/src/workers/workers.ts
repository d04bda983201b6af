import { pathToFileURL } from 'node:url'
import { errorMessage } from '@holdfast/foundation'
import {
  BOOT_FAILURE_KEPT_MS,
  FOLDER_BYTES_MAX,
  FOLDER_FILES_MAX,
  REFILL_AFTER_MS,
  REQUESTS_MAX,
  REQUESTS_PER_FUNCTION_MAX,
  SWEEP_EVERY_MS,
} from '../limits.ts'
import type { FunctionsOptions } from '../options.ts'
import type { LogLine } from '../process/log-limit.ts'
import type { EndReason } from '../process/worker-state.ts'
import type { Worker } from '../process/worker.ts'
import type { FunctionDefinition } from '../project/discover.ts'
import type { Metrics, ProcessUsage } from '../observe/metrics.ts'
import type { ProcessPool } from './process-pool.ts'

/** Too many open requests or running functions. */
export class TooManyRequests extends Error {}

/** A function's process, its use, and the result of its start. */
interface Entry {
  readonly worker: Worker
  readonly name: string
  readonly ready: Promise<void>
  /** When its function was loaded, by `performance.now()`. */
  readonly startedAt: number
  openRequests: number
  lastUsedAt: number
  /** Set if the start failed; further requests fail for a while. */
  failedAt: number | undefined
}

export interface WorkersOptions {
  readonly processPool: ProcessPool
  readonly environmentOf: (
    definition: FunctionDefinition,
    executionId: string,
  ) => Promise<Readonly<Record<string, string>>>
  readonly onLog: (name: string, line: LogLine) => void
  /** Reports an unexpected end of a process. */
  readonly onFailure: (name: string, text: string) => void
  readonly metrics: Metrics
  readonly options: FunctionsOptions
}

/** The processes of all functions: one each, started by the first request. */
export class Workers implements AsyncDisposable {
  readonly #given: WorkersOptions
  /** Process for new requests, by function. */
  readonly #current = new Map<string, Entry>()
  /** All loaded processes that have not ended. */
  readonly #living = new Set<Entry>()
  readonly #sweeping: NodeJS.Timeout
  #open = 0
  /** Resolves when the inspector's port is free. */
  #inspectorFree: Promise<unknown> = Promise.resolve()

  constructor(given: WorkersOptions) {
    this.#given = given
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref()
  }

  /** Open requests. */
  get open(): number {
    return this.#open
  }

  /**
   * Acquires the process of a function for one request, starting it if needed.
   *
   * @returns the process, and a function to call when the request has ended
   * @throws {BootFailure}
   * @throws {TooManyRequests}
   */
  async enter(definition: FunctionDefinition): Promise<{ readonly worker: Worker; readonly leave: () => void }> {
    if (this.#isInspected(definition.name)) await this.#inspectorFree
    // Avoid a process that is about to end, as far as known.
    await this.#current.get(definition.name)?.worker.checked()
    const entry = this.#acquire(definition)
    const { worker, ready } = entry
    if (this.#open >= REQUESTS_MAX || entry.openRequests >= REQUESTS_PER_FUNCTION_MAX) throw new TooManyRequests()
    this.#open += 1
    entry.openRequests += 1
    let hasLeft = false
    const leave = (): void => {
      if (hasLeft) return
      hasLeft = true
      this.#open -= 1
      entry.openRequests -= 1
      entry.lastUsedAt = performance.now()
      if (definition.isOneshot && !worker.isBusy) worker.unload('early_drop')
    }
    try {
      await ready
    } catch (error) {
      leave()
      throw error
    }
    return { worker, leave }
  }

  /** Returns the current resources of each function. */
  usage(): ReadonlyMap<string, ProcessUsage> {
    const usage = new Map<string, ProcessUsage>()
    for (const { worker, name, openRequests: open } of this.#living) {
      const { openRequests = 0, processes = 0, memoryBytes = 0 } = usage.get(name) ?? {}
      usage.set(name, {
        openRequests: openRequests + open,
        processes: processes + 1,
        memoryBytes: memoryBytes + worker.memoryBytes,
      })
    }
    return usage
  }

  /** Starts a function's process before it is called. */
  async prepare(definition: FunctionDefinition): Promise<void> {
    const { leave } = await this.enter(definition)
    leave()
  }

  /** Sends new requests to new processes. Existing ones end after their requests; a debugged one ends immediately, because it occupies the inspector port. */
  retireAll(): void {
    this.#current.clear()
    const inspected = [...this.#living].filter(({ name }) => this.#isInspected(name)).map(({ worker }) => worker)
    for (const worker of inspected) worker.kill('early_drop')
    this.#inspectorFree = Promise.all(inspected.map((worker) => worker.ended))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeping)
    this.#current.clear()
    await Promise.all([...this.#living].map(({ worker }) => worker[Symbol.asyncDispose]()))
  }

  #acquire(definition: FunctionDefinition): Entry {
    const found = this.#current.get(definition.name)
    if (found && isUsable(found)) return found
    const entry = this.#start(definition)
    const isKept = !definition.isOneshot || this.#isInspected(definition.name)
    if (isKept) this.#current.set(definition.name, entry)
    return entry
  }

  #isInspected(name: string): boolean {
    return name === this.#given.options.functionsInspect
  }

  #start(definition: FunctionDefinition): Entry {
    const { processPool, environmentOf, onLog, onFailure, metrics, options } = this.#given
    const { name, entry: path } = definition
    if (this.#living.size >= options.functionsWorkersMax) this.#evict()
    const worker = processPool.take(definition)
    worker.onLog = (line) => onLog(name, line)
    const startedAt = performance.now()
    const ready = environmentOf(definition, worker.id).then((environment) =>
      worker.load(pathToFileURL(path).href, environment),
    )
    const entry: Entry = { worker, name, ready, startedAt, openRequests: 0, lastUsedAt: startedAt, failedAt: undefined }
    this.#living.add(entry)
    void worker.ended.then((reason) => this.#forget(entry, reason))
    ready.then(
      () => {
        metrics.recordColdStart(name, performance.now() - startedAt)
        setTimeout(() => processPool.refill(), REFILL_AFTER_MS).unref()
      },
      (error: unknown) => {
        entry.failedAt = performance.now()
        onFailure(name, `the function ${name} cannot be started: ${errorMessage(error)}`)
      },
    )
    return entry
  }

  /** @throws {TooManyRequests} if all functions with a process have open requests */
  #evict(): void {
    const [oldest] = [...this.#living]
      .filter(({ worker, openRequests }) => openRequests === 0 && !worker.isBusy)
      .toSorted((a, b) => a.lastUsedAt - b.lastUsedAt)
    if (!oldest) throw new TooManyRequests()
    this.#living.delete(oldest)
    this.#retire(oldest)
    oldest.worker.unload('early_drop')
  }

  #forget(entry: Entry, reason: EndReason): void {
    this.#living.delete(entry)
    void entry.worker.pool.destroy()
    if (reason === 'early_drop' || reason === 'termination') return
    this.#given.onFailure(entry.name, `the process of function ${entry.name} has ended: ${EXPLAINED[reason]}`)
  }

  /** Removes a process from use by new requests. */
  #retire(entry: Entry): void {
    if (this.#current.get(entry.name) === entry) this.#current.delete(entry.name)
  }

  #sweep(): void {
    const { functionsWallClockS, functionsKeptS } = this.#given.options
    const now = performance.now()
    for (const entry of this.#living) {
      const { worker, name, openRequests } = entry
      const ageS = (now - entry.startedAt) / 1_000
      const idleS = (now - entry.lastUsedAt) / 1_000
      if (this.#isInspected(name)) continue // the developer decides
      if (ageS >= functionsWallClockS / 2 || (openRequests === 0 && idleS >= functionsKeptS)) this.#retire(entry)
      const isRetired = this.#current.get(name) !== entry
      if (ageS >= functionsWallClockS) worker.unload('wall_clock')
      else if (isRetired && openRequests === 0 && !worker.isBusy) worker.unload('early_drop')
    }
  }
}

/** Whether to use an entry: an ended process is replaced, but a failed start is not retried for every request. */
function isUsable({ worker, failedAt }: Entry): boolean {
  if (failedAt !== undefined) return performance.now() - failedAt < BOOT_FAILURE_KEPT_MS
  return !worker.hasEnded
}

const EXPLAINED: Readonly<Record<EndReason, string>> = {
  crash: 'an error outside of a request, or Deno.exit',
  memory: 'it exceeded functionsMemoryMb',
  disk: `its temporary folder exceeded ${FOLDER_BYTES_MAX / 1024 ** 2} MiB or ${FOLDER_FILES_MAX} files`,
  cpu: 'it blocked its event loop for longer than functionsCpuMs',
  wall_clock: 'it exceeded functionsWallClockS with open requests',
  early_drop: 'it was idle',
  termination: 'the server stopped it',
}
