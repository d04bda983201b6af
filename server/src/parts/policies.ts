import { isDeepStrictEqual } from 'node:util'
import { createPhases } from '@holdfast/foundation'
import {
  createPlanCompiler,
  installKeyFunctions,
  readPolicyInput,
  readWriteInput,
  type PolicyInput,
  type ReadingMemory,
} from '@holdfast/policy'
import { connectAhead, readRequestSettings, type Catalog, type CatalogWatch, type Pool } from '@holdfast/postgres'
import type { RestService } from '@holdfast/rest'
import type { SyncOptions } from '@holdfast/sync'
import type { PartContext } from './part-context.ts'

/** Opens the policy compiler for sync. */
export function openPolicyCompiler(
  { logger, openPool }: PartContext,
  given: {
    /** Superuser pool for a plan's functions. */
    readonly pool: Pool
    readonly readerUrl: string
    readonly catalog: CatalogWatch
    readonly exposedSchemas: RestService['exposedSchemas']
  },
): Pick<SyncOptions, 'compile' | 'prepare' | 'readWrites'> {
  const { pool, catalog, exposedSchemas } = given
  const compilerPool = openPool({
    url: given.readerUrl,
    applicationName: 'holdfast compiler',
    connectionsMax: 1,
    resetAfterTransaction: true,
  })
  connectAhead(compilerPool)
  const compiler = createPlanCompiler()
  const memory: ReadingMemory = {}

  /** Returns a catalog for the first compilation, which needs only the exposed schemas, determined by these settings. */
  async function currentCatalog(): Promise<Catalog> {
    const settings = await readRequestSettings(compilerPool)
    const known = catalog.current()
    return isDeepStrictEqual(settings, known.requestSettings) ? known : await catalog.refresh()
  }

  return {
    // The catalog may be older than the change that triggered this compilation.
    async compile(signal) {
      const phases = createPhases()
      const readInput = (schemas: readonly string[]): Promise<PolicyInput> =>
        readPolicyInput(compilerPool, { schemas, signal, memory })
      const known = exposedSchemas(catalog.current())
      const refreshing = memory.earlier ? catalog.refresh() : currentCatalog()
      // In parallel, because the schemas rarely change.
      const [refreshed, read] = await Promise.all([refreshing, readInput(known)])
      const schemas = exposedSchemas(refreshed)
      const input = isDeepStrictEqual(schemas, known) ? read : await readInput(schemas)
      phases.end('input')
      const plan = await compiler.compile(input, signal)
      phases.end('plan')
      phases.log(logger, 'policies were compiled in these phases')
      return plan
    },
    readWrites: async () => readWriteInput(compilerPool, { schemas: exposedSchemas(await currentCatalog()) }),
    prepare: (plan) => installKeyFunctions({ pool, compilerPool }, plan, memory),
  }
}
