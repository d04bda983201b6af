import {
  compileWriteRules,
  writeFingerprint,
  type CompiledWriteRules,
  type SyncPlan,
  type WriteInput,
} from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'

/** Interval in ms for reading the catalog, regardless of the number of devices. */
const LOOK_EVERY_MS = 1_000

export interface CompiledRules {
  /** Returns the rules of a role, at most {@link LOOK_EVERY_MS} old. Concurrent callers share one read of the catalog. */
  of(role: string): Promise<CompiledWriteRules>
}

/**
 * Caches the compiled write rules of each role until something that they depend on changes.
 *
 * @param options.readerPool - connects as `holdfast_reader`
 * @param options.now - a monotonic clock in ms
 */
export function createCompiledRules(options: {
  readonly readerPool: Pool
  readonly read: () => Promise<WriteInput>
  readonly plan: () => SyncPlan
  readonly now: () => number
}): CompiledRules {
  const { readerPool, read, plan, now } = options
  let current:
    | { readonly version: string; readonly input: WriteInput; readonly synced: ReadonlySet<number> }
    | undefined
  let roles = new Map<string, Promise<CompiledWriteRules>>()
  let looking: Promise<void> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const { tables, version: planned } = plan()
    const version = `${planned} ${await writeFingerprint(readerPool)}`
    if (current?.version !== version) {
      const input = await read()
      current = { version, input, synced: new Set(tables.map(({ oid }) => oid)) }
      roles = new Map()
    }
    lookedAt = now()
  }

  return {
    async of(role) {
      if (now() - lookedAt > LOOK_EVERY_MS) {
        looking ??= look().finally(() => {
          looking = undefined
        })
        await looking
      }
      const known = current
      if (!known) return { tables: {}, facts: [], localNames: new Map() }
      const before = roles.get(role)
      if (before) return before
      const compiling = compileWriteRules(known.input, role, known.synced)
      roles.set(role, compiling)
      compiling.catch(() => roles.delete(role))
      return compiling
    },
  }
}
