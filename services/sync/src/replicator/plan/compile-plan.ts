import { createPhases } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import { withoutTooManyClasses } from '../../buckets/access-classes.ts'
import { QUIET_COMPILE_MAX_MS } from '../../limits.ts'
import { readDefinitions } from '../../storage/bucket-storage.ts'
import { ensureEvaluatorRoles } from './evaluator-roles.ts'
import { openPlanSource, type PlanSource } from './plan-source.ts'
import { publishTables, type PublishedPlan } from './publish-tables.ts'
import type { ReplicatorOptions } from '../setup/replicator-options.ts'
import { wakeReader } from '../setup/wake-reader.ts'

/** Opens a plan source that compiles the current policies now and on request. */
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
  const published = await publishTables({ pool, logger, alsoPublished: await options.alsoPublished() }, prepared)
  phases.end('publication')
  phases.log(logger, 'the plan was made in these phases')
  return published
}

/** Returns a hash that changes with any function outside the schemas of Postgres and Holdfast, since policies may call it. */
async function readFunctionsVersion(db: Queryable): Promise<string> {
  const [row] = await db.query<{ version: string | null }>(sql`
    select md5(string_agg(p.oid::text || ' ' || p.xmin::text, ',' order by p.oid)) as version
      from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where n.nspname not in ('pg_catalog', 'information_schema', 'sync', 'auth', 'holdfast')`)
  return row?.version ?? ''
}
