import type { RestCatalog, RestMediaHandler, RestRelation } from '../catalog/catalog.ts'
import { invalidPreferences, maxAffectedOnSingleResult, tableNotFound } from '../errors.ts'
import type { Action, ApiRequest, Resource } from '../request/api-request.ts'
import { nearestName } from './nearest-name.ts'
import { negotiate } from './negotiate.ts'
import { planCall } from './plan-call.ts'
import { planRead } from './plan-read.ts'
import { planWrite } from './plan-write.ts'
import type { Answer, Plan } from './plan.ts'
import { findTargetNames } from './target-names.ts'

const TABLE_SIMILARITY_MIN = 0.75

export interface PlanSettings {
  /** Row limit of a read. */
  readonly rowsMax: number | undefined
  readonly writesNeedFilter: boolean
  readonly aggregatesEnabled: boolean
  /** The exposed schemas. */
  readonly schemas: readonly string[]
  /** Whether clients may request Postgres's plans. */
  readonly plansAllowed: boolean
  /** Whether paths may reference an embed with an alias by its target. */
  readonly targetNamesAllowed: boolean
}

/**
 * Plans a request from the catalog, without querying Postgres.
 *
 * @throws HoldfastError PGRST1xx and PGRST2xx: unknown relations and functions, embeds with no or too many relationships
 */
export function planRequest(request: ApiRequest, catalog: RestCatalog, settings: PlanSettings): Plan {
  const { action, schema } = request
  switch (action.kind) {
    case 'read':
      return planReading(request, catalog, settings, action)
    case 'mutate':
      return planMutation(request, catalog, settings, action)
    case 'call':
      return planInvocation(request, catalog, settings, action)
    case 'inspect':
      return { kind: 'inspect', schema, headersOnly: action.headersOnly }
    case 'info':
      return { kind: 'info', allow: allowedMethods(request, catalog, action.resource) }
  }
}

type ActionOf<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>

function planReading(
  request: ApiRequest,
  catalog: RestCatalog,
  settings: PlanSettings,
  { relation: wanted, headersOnly }: ActionOf<'read'>,
): Plan {
  const { schema } = request
  const relation = findRelation(catalog, schema, wanted)
  const { name } = relation
  const source = { kind: 'relation', schema, name } as const
  const read = planRead(catalog, request, { ...settings, source, relation, rootFilters: true, rootRange: true })
  return {
    kind: 'read',
    read,
    media: negotiateAnswer(request, catalog, settings, { kind: 'relation', schema, name }),
    bodyless: headersOnly,
    targetNames: findTargetNames(request.query),
    count: request.preferences.count ?? 'none',
    rowsMax: settings.rowsMax,
  }
}

function planMutation(
  request: ApiRequest,
  catalog: RestCatalog,
  settings: PlanSettings,
  { relation: wanted, mutation }: ActionOf<'mutate'>,
): Plan {
  const { schema, preferences } = request
  const relation = findRelation(catalog, schema, wanted)
  const root = { source: { kind: 'result' }, relation, rootFilters: false, rootRange: false } as const
  const read = planRead(catalog, request, { ...settings, ...root, rowsMax: undefined })
  const write = planWrite(request, mutation, relation, read, settings.writesNeedFilter)
  const wantsLocation = mutation === 'create' && preferences.representation === 'headers-only'
  return {
    kind: 'write',
    read,
    write,
    media: negotiateAnswer(request, catalog, settings, { kind: 'relation', schema, name: relation.name }),
    bodyless: preferences.representation !== 'representation',
    targetNames: findTargetNames(request.query),
    location: wantsLocation && relation.primaryKey.length > 0 ? relation.primaryKey : undefined,
    primaryKey: relation.primaryKey,
  }
}

function planInvocation(
  request: ApiRequest,
  catalog: RestCatalog,
  settings: PlanSettings,
  { routine: name, method }: ActionOf<'call'>,
): Plan {
  const { schema, preferences } = request
  const call = planCall(catalog, request, name, method)
  const { routine } = call
  const { returnsRelation } = routine
  const relation = returnsRelation ?? { schema, name: routine.name }
  const source = { kind: 'result' } as const
  const read = planRead(catalog, request, { ...settings, source, relation, rootFilters: true, rootRange: true })
  const kind = returnsRelation ? 'relation' : 'routine'
  const media = negotiateAnswer(request, catalog, settings, { kind, ...relation })
  if (preferences.maxAffected !== undefined && preferences.handling === 'strict' && !routine.returnsSet) {
    throw maxAffectedOnSingleResult()
  }
  return {
    kind: 'call',
    read,
    call,
    media,
    bodyless: method === 'HEAD' || routine.returns === 'void',
    targetNames: findTargetNames(request.query),
    count: preferences.count ?? 'none',
    rowsMax: settings.rowsMax,
    readOnly: method !== 'POST' || routine.volatility !== 'volatile',
  }
}

/** @throws PGRST107, PGRST122 */
function negotiateAnswer(
  { accept, query, preferences }: ApiRequest,
  catalog: RestCatalog,
  settings: PlanSettings,
  target: RestMediaHandler['target'],
): Answer {
  const media = negotiate({ ...settings, accept, catalog, target, select: query.select })
  const { handling, invalid } = preferences
  if (handling === 'strict' && invalid.length > 0) throw invalidPreferences(invalid)
  return media
}

function findRelation(catalog: RestCatalog, schema: string, name: string): RestRelation {
  const relation = catalog.relation(schema, name)
  if (relation) return relation
  throw tableNotFound(schema, name, nearestName(name, catalog.relationNames(schema), TABLE_SIMILARITY_MIN))
}

function allowedMethods(request: ApiRequest, catalog: RestCatalog, resource: Resource): string {
  if (resource.kind === 'schema') return 'OPTIONS,GET,HEAD'
  if (resource.kind === 'routine') {
    const { routine } = planCall(catalog, request, resource.name, 'OPTIONS')
    return routine.volatility === 'volatile' ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST'
  }
  const relation = findRelation(catalog, request.schema, resource.name)
  return [
    'OPTIONS,GET,HEAD',
    ...(relation.insertable ? ['POST'] : []),
    ...(relation.insertable && relation.updatable && relation.primaryKey.length > 0 ? ['PUT'] : []),
    ...(relation.updatable ? ['PATCH'] : []),
    ...(relation.deletable ? ['DELETE'] : []),
  ].join(',')
}
