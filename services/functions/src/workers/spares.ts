import { basename } from 'node:path'
import { errorMessage } from '@holdfast/foundation'
import { BootFailure, Worker, type SpawnOptions } from '../process/worker.ts'
import type { FunctionDefinition, Project } from '../project/discover.ts'
import { mergeImportMap, type ImportMap } from '../project/import-map.ts'

type SpareOptions = Omit<SpawnOptions, 'importMap' | 'deniedPaths' | 'denoConfig' | 'inspectFlag'>

/** The function that a person looks into. */
export interface Inspected {
  readonly name: string
  /** @param port - that `config.toml` wants */
  readonly flag: (port: number | undefined) => string
}

/**
 * Starts processes, and keeps one waiting: Deno takes most of its time to start before it is known which function it is for. The waiting one has the import map of the
 * project; a function that has one of its own gets a process started for it, since Deno takes an import map at its start only.
 */
export class Spares implements AsyncDisposable {
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

  /** From now on processes are started for this reading of the project. */
  prepare(project: Project): void {
    this.#project = project
    this.#drop()
    this.refill()
  }

  /** @throws {BootFailure} when the import map cannot be read */
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

  /** Starts the next one to wait, if any function could use it. */
  refill(): void {
    const isNeeded = [...(this.#project?.functions.values() ?? [])].some(({ importMap }) => importMap === undefined)
    if (this.#isClosed || !isNeeded || (this.#waiting && !this.#waiting.hasEnded)) return
    try {
      this.#waiting = this.#start(undefined)
    } catch {
      this.#waiting = undefined // the next request that needs one tells the reason
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
