import type { Caller } from '@holdfast/http'
import type { Catalog, Pool } from '@holdfast/postgres'
import type { RestCatalog } from './catalog.ts'
import { maxAffectedExceeded, notSingular, putKeyMismatch, rootDisabled } from './errors.ts'
import { execute, type ResultRow } from './execute.ts'
import { requireDescribable, type ApiDescriptions } from './openapi/api-descriptions.ts'
import type { RestOptions } from './options.ts'
import { endsInRollback, mayChooseEnd } from './transaction-end.ts'
import { planRequest } from './plan/plan-request.ts'
import type { DatabasePlan } from './plan/plan.ts'
import { renderNothing, renderQuery } from './query/render-query.ts'
import { requestSettings } from './query/render-settings.ts'
import type { Action, ApiRequest } from './request/api-request.ts'
import { parseRequest, type RawRequest } from './request/parse-request.ts'
import type { StatementNames } from './statement-names.ts'
import { toHoldfastError } from './response/postgres-error.ts'
import { respond, respondInfo, respondToInspect, type RestResponse } from './response/respond.ts'

export interface HandlerContext {
  /** Connected as `authenticator`. */
  readonly pool: Pool
  readonly catalog: { current(): Catalog }
  readonly viewOf: (catalog: Catalog) => RestCatalog
  readonly options: RestOptions
  readonly names: StatementNames
  readonly descriptions: ApiDescriptions
}

/**
 * A request from bytes to answer, stage by stage: request, plan, query, execute, respond. Each stage takes the value that the one
 * before made, and nothing else of the request.
 *
 * @throws HoldfastError for every refusal, in PostgREST's vocabulary
 */
export async function handle(context: HandlerContext, caller: Caller, raw: RawRequest): Promise<RestResponse> {
  const { options } = context
  const request = parseRequest(raw, options.restSchemas, mayChooseEnd(options.restTransactionEnd))
  if (isAboutRoot(request.action) && context.descriptions.disabled) throw rootDisabled()

  const catalog = context.catalog.current()
  const rowsMax = options.restRowsMax === 0 ? undefined : options.restRowsMax
  const plan = planRequest(request, context.viewOf(catalog), {
    rowsMax,
    writesNeedFilter: options.restWritesNeedFilter,
    schemas: options.restSchemas,
    plansAllowed: options.restPlanEnabled,
  })
  if (plan.kind === 'info') return respondInfo(plan.allow)

  if (plan.kind === 'inspect') requireDescribable(request.headers['accept'])
  const query = plan.kind === 'inspect' ? renderNothing() : renderQuery(plan)
  const settings = requestSettings({
    request,
    role: caller.role,
    claims: caller.claims,
    roleSettings: catalog.roles.find(({ name }) => name === caller.role)?.settings ?? {},
    statementTimeout: plan.kind === 'call' ? plan.call.routine.statementTimeout : undefined,
    statementTimeoutMs: options.restStatementTimeoutMs,
    extraSearchPath: options.restExtraSearchPath,
  })
  try {
    const result = await execute(context.pool, {
      query,
      nameOf: (text) => context.names.nameOf(catalog.version, text),
      settings,
      readOnly: plan.kind === 'read' || plan.kind === 'inspect' || (plan.kind === 'call' && plan.readOnly),
      rollback: endsInRollback(options.restTransactionEnd, request.preferences.transaction),
      verify: plan.kind === 'inspect' ? undefined : verification(request, plan),
    })
    if (plan.kind === 'inspect') {
      return respondToInspect(request, result, context.descriptions.of(catalog, plan.schema, caller.role))
    }
    if (plan.kind === 'read') requireSingular(plan, result.row)
    return respond(request, plan, result)
  } catch (error) {
    throw toHoldfastError(error, caller.role === 'anon')
  }
}

function isAboutRoot(action: Action): boolean {
  return action.kind === 'inspect' || (action.kind === 'info' && action.resource.kind === 'schema')
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
