import { existsSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { delay, errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { environmentOf, type ProjectAccess } from './environment.ts'
import { DRAIN_MS, REDISCOVER_MS } from './limits.ts'
import type { FunctionsOptions } from './options.ts'
import { findDeno, resolveProgram, RUNTIME } from './process/program.ts'
import { LogStore } from './observe/log-store.ts'
import { Metrics, type FunctionMetrics } from './observe/metrics.ts'
import { openRunFolder, type RunFolder } from './process/run-folder.ts'
import type { LogLine } from './process/log-limit.ts'
import { BootFailure } from './process/worker.ts'
import { describeProject, type FunctionsState } from './project/describe-project.ts'
import {
  discoverProject,
  FUNCTION_NAME,
  type FunctionDefinition,
  type Project,
  type ProjectFiles,
} from './project/discover.ts'
import { baseImports } from './project/import-map.ts'
import { watchProject } from './project/watch-project.ts'
import { ProcessPool } from './workers/process-pool.ts'
import { Workers } from './workers/workers.ts'

export interface RuntimeOptions {
  readonly files: ProjectFiles
  /** Downloaded packages, below the data folder. */
  readonly home: string
  readonly access: ProjectAccess
  readonly options: FunctionsOptions
  readonly logger: Logger
}

/** Components needed only once there is a function. */
interface Machine extends AsyncDisposable {
  readonly workers: Workers
  readonly processPool: ProcessPool
}

/** The project's current functions and their processes. */
export class Runtime implements AsyncDisposable {
  readonly #given: RuntimeOptions
  readonly metrics = new Metrics()
  readonly logs = new LogStore()
  #project: Project | undefined
  #problem: string | undefined
  #discovering: Promise<void> | undefined
  #discoveredAt = -Infinity
  /** When the current project was read, by the wall clock. */
  #loadedAtMs: number | undefined
  #watching: { readonly hasDirectory: boolean; readonly watch: Disposable } | undefined
  #machine: Machine | undefined
  #isClosed = false

  constructor(given: RuntimeOptions) {
    this.#given = given
  }

  /**
   * Returns the function, searching again if unknown because its folder may be new.
   *
   * @throws {BootFailure} if the project's files cannot be read
   */
  async find(name: string): Promise<FunctionDefinition | undefined> {
    const known = this.#project?.functions.get(name)
    if (known) return known
    if (performance.now() - this.#discoveredAt > REDISCOVER_MS) await this.discover('looked for')
    else await this.#discovering
    if (this.#problem !== undefined) throw new BootFailure(this.#problem, false)
    return this.#project?.functions.get(name)
  }

  /** @throws {BootFailure} if Deno is missing, or functions cannot be isolated from the server */
  workers(): Workers {
    try {
      return this.#openMachine().workers
    } catch (error) {
      throw new BootFailure(errorMessage(error), false)
    }
  }

  /** Returns metrics of all called functions, with their current memory. */
  readMetrics(): readonly FunctionMetrics[] {
    return this.metrics.read(this.#machine?.workers.usage() ?? new Map())
  }

  /** Returns the served functions, reading the project's files first if that has not happened yet. */
  async describe(): Promise<FunctionsState> {
    if (this.#discoveredAt === -Infinity) await this.discover('looked for')
    else await this.#discovering
    return describeProject(this.#project, { problem: this.#problem, loadedAtMs: this.#loadedAtMs }, this.#given.files)
  }

  /**
   * Reads the project's files. Processes of an earlier version end after their requests.
   *
   * @param why - a file may have changed, or an unknown function was requested, which must not restart the known ones
   */
  async discover(why: 'changed' | 'looked for'): Promise<void> {
    // A read in progress may have missed this change.
    if (why === 'changed') await this.#discovering
    this.#discovering ??= this.#discover(why).finally(() => (this.#discovering = undefined))
    await this.#discovering
  }

  async #discover(why: 'changed' | 'looked for'): Promise<void> {
    const { files, logger } = this.#given
    const before = this.#project
    try {
      const project = await discoverProject(files, process.env, logger)
      this.#problem = undefined
      if (why === 'changed' || !before || !isDeepStrictEqual(before, project)) {
        this.#project = project
        this.#loadedAtMs = Date.now()
        logDeniedLinks(project, files.directory, logger)
        if (project.functions.size > 0) this.#begin(project)
      }
    } catch (error) {
      this.#project = undefined
      this.#problem = describe(error)
      logger.log('error', `edge functions are not served: ${this.#problem}`)
    }
    this.#discoveredAt = performance.now()
    if (!this.#isClosed) this.#watch()
  }

  /** Watches existing files. The functions folder may be created after `config.toml`. */
  #watch(): void {
    const { files, logger } = this.#given
    const hasDirectory = existsSync(files.directory)
    if (!hasDirectory && !existsSync(files.configFile)) return
    if (this.#watching?.hasDirectory === hasDirectory) return
    this.#watching?.watch[Symbol.dispose]()
    this.#watching = { hasDirectory, watch: watchProject(files, () => void this.discover('changed'), logger) }
  }

  #begin(project: Project): void {
    if (this.#isClosed) return
    const { workers, processPool } = this.#openMachine()
    void this.#given.access.databaseUrl() // so that the first request does not wait for it
    workers.retireAll()
    processPool.prepare(project)
    const inspected = project.functions.get(this.#given.options.functionsInspect ?? '')
    // A debugger must find it before the first call. Failures are logged.
    if (inspected) void workers.prepare(inspected).catch(() => undefined)
  }

  #openMachine(): Machine {
    this.#machine ??= openMachine(this.#given, this, () => this.#project?.secrets ?? {})
    return this.#machine
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#watching?.watch[Symbol.dispose]()
    await this.#discovering
    await this.#machine?.[Symbol.asyncDispose]()
  }
}

function openMachine(
  { files, home, access, options, logger }: RuntimeOptions,
  { metrics, logs }: { readonly metrics: Metrics; readonly logs: LogStore },
  secrets: () => Readonly<Record<string, string>>,
): Machine {
  const deno = findDeno(options.functionsDeno)
  const program = resolveProgram(deno, home, files.directory)
  const runFolder: RunFolder = openRunFolder(home, program)
  const processPool = new ProcessPool(
    {
      program,
      runFolder,
      home,
      directory: files.directory,
      memoryMb: options.functionsMemoryMb,
      cpuMs: options.functionsCpuMs,
    },
    baseImports(RUNTIME),
    inspectedOf(options),
  )
  const keep = (name: string, { level, text, requestId }: LogLine): void =>
    logs.add({ at: new Date().toISOString(), function: name, level, text, request_id: requestId ?? null })
  const workers = new Workers({
    processPool,
    environmentOf: (definition, executionId) => environmentOf(access, secrets(), definition, executionId),
    onLog(name, line) {
      keep(name, line)
      logLine(logger, name, line)
    },
    onFailure(name, text) {
      keep(name, { level: 'error', text, requestId: undefined })
      logger.log('error', text, { function: name })
    },
    metrics,
    options,
  })
  return {
    workers,
    processPool,
    async [Symbol.asyncDispose]() {
      const deadline = performance.now() + DRAIN_MS
      while (workers.open > 0 && performance.now() < deadline) await delay(20)
      await workers[Symbol.asyncDispose]()
      await processPool[Symbol.asyncDispose]()
      runFolder[Symbol.dispose]()
    },
  }
}

const INSPECTOR_PORT = 8_083

/** Deno's inspector flags by option value. */
const INSPECT_FLAGS: Readonly<Record<string, string>> = {
  run: '--inspect',
  brk: '--inspect-brk',
  wait: '--inspect-wait',
}

function inspectedOf({ functionsInspect, functionsInspectMode, functionsInspectPort }: FunctionsOptions) {
  if (functionsInspect === undefined) return undefined
  const flag = INSPECT_FLAGS[functionsInspectMode] ?? '--inspect'
  return {
    name: functionsInspect,
    flag: (port: number | undefined) => `${flag}=127.0.0.1:${functionsInspectPort || port || INSPECTOR_PORT}`,
  }
}

function logLine(logger: Logger, name: string, { level, text, requestId }: LogLine): void {
  logger.log(level, `${name}: ${text}`, { function: name, ...(requestId && { requestId }) })
}

/** Logs denied links, and functions not served because of one. */
function logDeniedLinks({ deniedLinks }: Project, directory: string, logger: Logger): void {
  for (const { path, reason } of deniedLinks) {
    const [name = ''] = relative(directory, path).split(sep)
    const effect = FUNCTION_NAME.test(name)
      ? `the function ${name} is not served`
      : 'functions cannot read through a link'
    logger.log('error', `${effect}: the link ${path} ${reason}; replace it with a copy`)
  }
}

function describe(error: unknown): string {
  if (!(error instanceof HoldfastError)) return errorMessage(error)
  return [error.message, error.detail, error.hint].filter((part) => part !== undefined).join(' – ')
}
