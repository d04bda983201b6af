import { basename } from 'node:path'
import { errorMessage } from '@holdfast/foundation'
import { BootFailure, Worker, type SpawnOptions } from '../process/worker.ts'
import type { FunctionDefinition, Project } from '../project/discover.ts'
import { mergeImportMap, type ImportMap } from '../project/import-map.ts'

type SpareOptions = Omit<SpawnOptions, 'importMap' | 'deniedPaths' | 'denoConfig' | 'inspectFlag'>

/** The function being debugged. */
export interface Inspected {
  readonly name: string
  /** @param port - from `config.toml` */
  readonly flag: (port: number | undefined) => string
}

/**
 * Starts processes and keeps a spare one waiting, because most of Deno's start does not depend on the function. The spare has the project's import map; a
 * function with its own map gets a new process, because Deno reads the map only at startup.
 */
export class ProcessPool implements AsyncDisposable {
  readonly #spawn: SpareOptions
  readonly #imports: ImportMap['imports']
  readonly #inspected: Inspected | undefined
  #project: Project | undefined
  #waiting: Worker | undefined
  #isClosed = false

  constructor(spawn: SpareOptions, imports: ImportMap['imports'], inspected?: Inspected) {
    this.#spawn = spawn
    this.#inspected = inspected
    this.#imports = imports
  }

  /** Switches to a new version of the project. */
  prepare(project: Project): void {
    this.#project = project
    this.#drop()
    this.refill()
  }

  /** @throws {BootFailure} if the import map cannot be read */
  take(definition: FunctionDefinition): Worker {
    const { flag, name } = this.#inspected ?? {}
    if (name === definition.name) return this.#start(definition.importMap, flag?.(this.#project?.inspectorPort))
    const waiting = this.#waiting
    if (definition.importMap === undefined && waiting && !waiting.hasEnded) {
      this.#waiting = undefined
      return waiting
    }
    return this.#start(definition.importMap)
  }

  /** Starts the next spare process, if any function could use it. */
  refill(): void {
    const isNeeded = [...(this.#project?.functions.values() ?? [])].some(({ importMap }) => importMap === undefined)
    if (this.#isClosed || !isNeeded || (this.#waiting && !this.#waiting.hasEnded)) return
    try {
      this.#waiting = this.#start(undefined)
    } catch {
      this.#waiting = undefined // the next request that needs a process reports the reason
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#drop()
  }

  #drop(): Promise<void> | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting?.[Symbol.asyncDispose]()
  }

  #start(own: string | undefined, inspectFlag?: string): Worker {
    const path = own ?? this.#project?.importMap
    let importMap: ImportMap
    try {
      importMap = mergeImportMap({ ...this.#imports, ...this.#project?.addresses }, path)
    } catch (error) {
      throw new BootFailure(`${path ?? 'the import map'} cannot be read: ${errorMessage(error)}`, false)
    }
    const isDenoConfig = own !== undefined && /^deno\.jsonc?$/.test(basename(own))
    return new Worker({
      ...this.#spawn,
      importMap,
      deniedPaths: this.#project?.deniedPaths ?? [],
      denoConfig: isDenoConfig ? own : undefined,
      inspectFlag,
    })
  }
}
