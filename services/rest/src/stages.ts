import type { Catalog } from '@holdfast/postgres'
import type { RestCatalog } from './catalog.ts'
import { rootDisabled } from './errors.ts'
import { requireDescribable, type ApiDescriptions } from './openapi/api-descriptions.ts'
import type { RestOptions } from './options.ts'
import type { Stages } from './plan-cache.ts'
import { planRequest } from './plan/plan-request.ts'
import { renderNothing, renderQuery } from './query/render-query.ts'
import type { Action } from './request/api-request.ts'
import { parseBody, parseHeaders, parseRequest } from './request/parse-request.ts'
import { canonicalQuery } from './request/query-params.ts'
import { mayChooseEnd } from './transaction-end.ts'

/**
 * The stages before Postgres is asked: request, plan, query. They depend on nothing but the catalog, and the options that it comes with.
 *
 * @returns a function that makes them once per catalog
 */
export function createStages(context: {
  readonly viewOf: (catalog: Catalog) => RestCatalog
  readonly configOf: (catalog: Catalog) => RestOptions
  readonly descriptionsOf: (options: RestOptions) => ApiDescriptions
}): (catalog: Catalog) => Stages {
  const known = new WeakMap<Catalog, Stages>()
  return (catalog) => {
    let stages = known.get(catalog)
    if (!stages) {
      const options = context.configOf(catalog)
      stages = makeStages(options, context.viewOf(catalog), context.descriptionsOf(options))
      known.set(catalog, stages)
    }
    return stages
  }
}

function makeStages(options: RestOptions, view: RestCatalog, descriptions: ApiDescriptions): Stages {
  const settings = {
    rowsMax: options.restRowsMax === 0 ? undefined : options.restRowsMax,
    writesNeedFilter: options.restWritesNeedFilter,
    aggregatesEnabled: options.restAggregatesEnabled,
    schemas: options.restSchemas,
    plansAllowed: options.restPlanEnabled,
  }
  return {
    parse: (raw) => parseRequest(raw, options.restSchemas, mayChooseEnd(options.restTransactionEnd)),
    parseParts: (raw) => ({ ...parseHeaders(raw), canonical: canonicalQuery(raw.search) }),
    parsePayload: (raw, request) =>
      request.payload === undefined ? undefined : parseBody(raw, request.action, request.query.columns),
    plan(request) {
      if (isAboutRoot(request.action) && descriptions.disabled) throw rootDisabled()
      const plan = planRequest(request, view, settings)
      if (plan.kind === 'inspect') requireDescribable(request.headers['accept'])
      return plan
    },
    render: (plan) => {
      if (plan.kind === 'info') return undefined
      return plan.kind === 'inspect' ? renderNothing() : renderQuery(plan)
    },
  }
}

function isAboutRoot(action: Action): boolean {
  return action.kind === 'inspect' || (action.kind === 'info' && action.resource.kind === 'schema')
}
