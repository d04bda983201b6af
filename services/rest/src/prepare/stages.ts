import type { RestCatalog } from '../catalog/catalog.ts'
import { requireDescribable, type ApiDescriptions } from '../openapi/api-descriptions.ts'
import type { RestOptions } from '../options.ts'
import { planRequest } from '../plan/plan-request.ts'
import type { Plan } from '../plan/plan.ts'
import { renderNothing, renderQuery, type Query } from '../query/render-query.ts'
import type { ApiRequest, Resource } from '../request/api-request.ts'
import { parseBody, parseHeaders, parseRequest, type RawRequest } from '../request/parse-request.ts'
import { canonicalQuery } from '../request/query-params.ts'
import { mayChooseEnd } from '../config/transaction-end.ts'

/** A parsed, planned and rendered request. */
export interface Prepared {
  readonly request: ApiRequest
  readonly plan: Plan
  /** `undefined` for a request that needs no statement. */
  readonly main: Rendered | undefined
  readonly explain: Rendered | undefined
}

export interface Rendered {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Runs the stages before Postgres.
 *
 * @param onParsed - called between parsing and planning
 * @throws what the stages throw
 */
export type Prepare = (raw: RawRequest, onParsed?: () => void) => Prepared

/** The stages before Postgres: parse, plan, render. Each uses only the result of the previous one. */
export interface Stages {
  parse(raw: RawRequest): ApiRequest
  plan(request: ApiRequest): Plan
  render(plan: Plan): Query | undefined
  /** Parses the parts that belong to one request rather than its shape. */
  parseParts(raw: RawRequest): Pick<ApiRequest, 'headers' | 'cookies'> & { readonly canonical: string }
  /** Parses the body of a request whose query string is already parsed. */
  parsePayload(raw: RawRequest, request: Pick<ApiRequest, 'action' | 'query'>): ApiRequest['payload']
}

/** Creates the stages for a catalog and its options, their only dependencies. */
export function createStages(
  options: RestOptions,
  view: RestCatalog,
  descriptions: Pick<ApiDescriptions, 'disabled'>,
): Stages {
  const settings = {
    rowsMax: options.restRowsMax === 0 ? undefined : options.restRowsMax,
    writesNeedFilter: options.restWritesNeedFilter,
    aggregatesEnabled: options.restAggregatesEnabled,
    schemas: options.restSchemas,
    plansAllowed: options.restPlanEnabled,
    targetNamesAllowed: options.restTargetNamesEnabled,
  }
  const dialect = {
    schemas: options.restSchemas,
    mayChooseEnd: mayChooseEnd(options.restTransactionEnd),
    root: descriptions.disabled ? undefined : rootOf(options.restRootFunction),
  }
  return {
    parse: (raw) => parseRequest(raw, dialect),
    parseParts: (raw) => ({ ...parseHeaders(raw), canonical: canonicalQuery(raw.search) }),
    parsePayload: (raw, { action, query }) => parseBody(raw, action, query.columns),
    plan(request) {
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

/** @param name - `function` or `schema.function`; as in PostgREST, called in the request's schema */
function rootOf(name: string): Resource {
  return name === '' ? { kind: 'schema' } : { kind: 'routine', name: name.slice(name.indexOf('.') + 1) }
}

/** Combines the stages. */
export function prepareWith(stages: Stages): Prepare {
  return (raw, onParsed) => {
    const request = stages.parse(raw)
    onParsed?.()
    const plan = stages.plan(request)
    return { request, plan, ...renderAll(stages.render(plan)) }
  }
}

export function renderAll(query: Query | undefined): Pick<Prepared, 'main' | 'explain'> {
  return { main: query?.main.render(), explain: query?.explain?.render() }
}
