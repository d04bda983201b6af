import { createPhases, errorMessage } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { withoutTooManyClasses } from '../buckets/access-classes.ts'
import { QUIET_COMPILE_MAX_MS } from '../limits.ts'
import { readDefinitions } from '../storage/bucket-storage.ts'
import { ensureEvaluatorRoles } from './evaluator-roles.ts'
import { readFunctionsVersion } from './functions-version.ts'
import { openPlanSource, type PlanSource } from './plan-source.ts'
import { publishTables, type PublishedPlan } from './publish-tables.ts'
import type { ReplicatorOptions } from './replicator-options.ts'

/** Compiles the policies as they are now, and again whenever that is asked for. */
export function openPlans(options: ReplicatorOptions, signal: AbortSignal): Promise<PlanSource> {
  const { pool, logger, quietCompileMs } = options
  return openPlanSource({
    db: pool,
    compile: (ending) => compilePlan(options, ending),
    onCompiled: () => void wakeReader(options),
    signal,
    logger,
    quietMs: quietCompileMs,
    quietMaxMs: Math.max(quietCompileMs, QUIET_COMPILE_MAX_MS),
  })
}

/** Puts something into the stream, so that the reader looks at what has been compiled meanwhile. */
async function wakeReader({ pool, logger }: ReplicatorOptions): Promise<void> {
  try {
    await pool.query(sql`select pg_logical_emit_message(true, 'holdfast:plan', '')`)
  } catch (error) {
    logger.log('debug', 'the reader will find the new plan with the next change', { reason: errorMessage(error) })
  }
}

async function compilePlan(options: ReplicatorOptions, signal: AbortSignal): Promise<PublishedPlan> {
  const { pool, logger } = options
  const phases = createPhases()
  const functionsVersion = await readFunctionsVersion(pool)
  const policies = await options.compile(signal)
  phases.end('policies')
  const compiled = await withoutTooManyClasses(
    { pool: options.readerPool, admin: pool, logger },
    options.evaluator.withoutGivenUp(policies, functionsVersion),
    options.classes.max,
    await readDefinitions(pool),
  )
  phases.end('classes')
  const prepared = await options.prepare(compiled)
  phases.end('functions')
  await ensureEvaluatorRoles(pool, prepared, logger)
  phases.end('roles')
  const published = await publishTables({ pool, logger }, prepared)
  phases.end('publication')
  phases.log(logger, 'the plan was made in these phases')
  return published
}
