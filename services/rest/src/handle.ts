import type { Caller } from '@holdfast/http'
import { authorOf, RowTooLarge, type Catalog, type PoolShare } from '@holdfast/postgres'
import { parseDurationMs } from './duration.ts'
import { abandoned, answerTooLarge, maxAffectedExceeded, notSingular, putKeyMismatch } from './errors.ts'
import { Abandoned, execute, type ResultRow, type Statement } from './execute.ts'
import { DEADLINE_GRACE_MS, DEADLINE_MS_MAX, STATEMENTS_MAX } from './limits.ts'
import type { ApiDescriptions } from './openapi/api-descriptions.ts'
import type { RestOptions } from './options.ts'
import { endsInRollback } from './transaction-end.ts'
import type { PlanCache, Rendered, Stages } from './plan-cache.ts'
import type { DatabasePlan } from './plan/plan.ts'
import {
  isolationOf,
  lastValue,
  renderPreRequest,
  renderSettings,
  requestSettings,
  type Setting,
} from './query/render-settings.ts'
import type { ApiRequest } from './request/api-request.ts'
import type { RawRequest } from './request/parse-request.ts'
import type { RequestLimit } from './request-limit.ts'
import { toHoldfastError } from './response/postgres-error.ts'
import { respond, respondInfo, respondToInspect, type RestResponse } from './response/respond.ts'
import { createStageClock, renderServerTiming, type StageTimes } from './response/server-timing.ts'
import type { CurrentCatalog } from './stale-catalog.ts'
import type { StatementNames } from './statement-names.ts'

export interface HandlerContext {
  /** Connections as `authenticator`. */
  readonly share: PoolShare
  readonly catalog: CurrentCatalog
  /** The options as the database changes them. */
  readonly configOf: (catalog: Catalog) => RestOptions
  /** The catalog to try again with after a failure, if any. */
  readonly newerThan: (seen: Catalog, error: unknown) => Promise<Catalog | undefined>
  readonly names: StatementNames
  readonly plans: PlanCache
  /** How requests are prepared with a catalog and the options that it comes with. */
  readonly stagesOf: (catalog: Catalog) => Stages
  readonly descriptionsOf: (options: RestOptions) => ApiDescriptions
  readonly limit: RequestLimit
}

/** What a request is besides what it says. */
export interface Circumstances {
  /** Milliseconds that it took to find out who asks. */
  readonly authenticationMs: number | undefined
  /** Whom the connection that it uses counts for; `undefined` for backends, which have keys of the project. */
  readonly person: string | undefined
  /** Whether nobody waits for the answer any more. */
  readonly isAbandoned: () => boolean
}

/**
 * A request from bytes to answer. When it fails in a way that another catalog may mend, it is tried once again: changes of the database are
 * announced a moment after they are made, and what failed was rolled back.
 *
 * @throws HoldfastError for every refusal, in PostgREST's vocabulary
 */
export async function handle(
  context: HandlerContext,
  caller: Caller,
  raw: RawRequest,
  circumstances: Circumstances,
): Promise<RestResponse> {
  const catalog = context.catalog.current()
  const leave = context.limit.enter(circumstances.person)
  try {
    return await answer(context, catalog, caller, raw, circumstances).catch(async (error: unknown) => {
      const newer = await context.newerThan(catalog, error)
      if (!newer) throw error
      return answer(context, newer, caller, raw, circumstances)
    })
  } catch (error) {
    throw toRefusal(error, caller)
  } finally {
    leave()
  }
}

function toRefusal(error: unknown, caller: Caller): unknown {
  if (error instanceof Abandoned) return abandoned()
  if (error instanceof RowTooLarge) return answerTooLarge()
  return toHoldfastError(error, caller.role === 'anon')
}

/**
 * Stage by stage: request, plan, query, execute, respond. Each stage takes the value that the one before made, and nothing else of the
 * request.
 */
async function answer(
  context: HandlerContext,
  catalog: Catalog,
  caller: Caller,
  raw: RawRequest,
  circumstances: Circumstances,
): Promise<RestResponse> {
  const options = context.configOf(catalog)
  const clock = options.restServerTimingEnabled ? createStageClock() : undefined
  const { request, plan, main, explain } = context.plans.prepare(
    catalog,
    raw,
    context.stagesOf(catalog),
    clock && (() => clock.end('parse')),
  )
  const finish = (response: RestResponse): RestResponse => {
    clock?.end('response')
    return decorate(response, raw, options, clock && { jwt: circumstances.authenticationMs, ...clock.times() })
  }
  if (plan.kind === 'info' || !main) return finish(respondInfo(plan.kind === 'info' ? plan.allow : ''))

  const readOnly = plan.kind === 'read' || plan.kind === 'inspect' || (plan.kind === 'call' && plan.readOnly)
  const input = {
    request,
    readOnly,
    role: caller.role,
    claims: caller.claims,
    roleSettings: catalog.roles.find(({ name }) => name === caller.role)?.settings ?? {},
    routineSettings: plan.kind === 'call' ? plan.call.routine.settings : {},
    hoistedSettings: options.restHoistedSettings,
    statementTimeoutMs: options.restStatementTimeoutMs,
    extraSearchPath: options.restExtraSearchPath,
  }
  const settings = requestSettings(input)
  // Policies are part of a plan, so that one made for another role is made anew each time.
  const keep = ({ text, values }: Rendered): Statement => {
    const name = context.names.nameOf(catalog.version, text)
    return { text, values, key: name && `${name} ${caller.role} ${request.schema}` }
  }
  const assume = renderSettings(settings, readOnly ? null : authorOf(caller))
  clock?.end('plan')
  const result = await execute(context.share.for({ person: circumstances.person }), {
    main: keep(main),
    explain: explain && keep(explain),
    settings: { ...assume, key: assume.text },
    preRequest: options.restPreRequest === '' ? undefined : keep(renderPreRequest(options.restPreRequest).render()),
    readOnly,
    isolation: isolationOf(input),
    rollback: endsInRollback(options.restTransactionEnd, request.preferences.transaction),
    verify: plan.kind === 'inspect' ? undefined : verification(request, plan),
    timeoutMs: deadlineMs(settings),
    rowBytesMax: options.restResponseBytesMax,
    isAbandoned: circumstances.isAbandoned,
  })
  clock?.end('transaction')
  if (plan.kind === 'inspect') {
    const descriptions = context.descriptionsOf(options)
    return finish(respondToInspect(request, result, descriptions.of(catalog, plan.schema, caller.role)))
  }
  if (plan.kind === 'read') requireSingular(plan, result.row)
  return finish(respond(request, plan, result))
}

/** How long to wait for Postgres, which ends every statement in time by itself, unless it or the way to it is gone. */
function deadlineMs(settings: readonly Setting[]): number {
  const timeoutMs = parseDurationMs(lastValue(settings, 'statement_timeout') ?? '0') ?? 0
  return timeoutMs <= 0 ? 0 : Math.min(STATEMENTS_MAX * timeoutMs + DEADLINE_GRACE_MS, DEADLINE_MS_MAX)
}

/** What an answer depends on beside its address, for caches. As PostgREST 16 says it, unless a function says otherwise. */
const VARY = 'Accept, Prefer, Range'

function decorate(
  response: RestResponse,
  raw: RawRequest,
  options: RestOptions,
  times: StageTimes | undefined,
): RestResponse {
  const trace = options.restTraceHeader === '' ? undefined : raw.headers[options.restTraceHeader.toLowerCase()]
  const varies = Object.keys(response.headers).some((name) => name.toLowerCase() === 'vary')
  if (times === undefined && trace === undefined && varies) return response
  const headers = {
    ...response.headers,
    ...(!varies && { vary: VARY }),
    ...(times && { 'server-timing': renderServerTiming(times) }),
    ...(trace !== undefined && { [options.restTraceHeader]: String(trace) }),
  }
  return { ...response, headers }
}

/** What has to hold before a write is kept; `undefined` when the commit may go along with the statement. */
function verification(request: ApiRequest, plan: DatabasePlan): ((row: ResultRow) => void) | undefined {
  if (plan.kind === 'read' || plan.media.explain) return undefined
  const { maxAffected, handling } = request.preferences
  const isObject = plan.media.body.kind === 'object'
  const limit = handling === 'strict' && request.method !== 'PUT' ? maxAffected : undefined
  const isPut = request.method === 'PUT'
  if (!isObject && limit === undefined && !isPut) return undefined
  return (row) => {
    const rows = Number(row.rows)
    if (isPut && rows !== 1) throw putKeyMismatch()
    requireSingular(plan, row)
    const isInsert = plan.kind === 'write' && plan.write.kind === 'insert'
    if (limit !== undefined && !isInsert && rows > limit) throw maxAffectedExceeded(rows)
  }
}

/** An object was asked for, so exactly one row answers. */
function requireSingular(plan: DatabasePlan, row: ResultRow): void {
  if (plan.media.body.kind !== 'object' || plan.media.explain) return
  if (Number(row.rows) !== 1) throw notSingular(Number(row.rows))
}
