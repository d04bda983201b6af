import type { RestCatalog, RestMediaHandler, RestRelation } from '../catalog.ts'
import { invalidPreferences, maxAffectedOnSingleResult, tableNotFound } from '../errors.ts'
import type { ApiRequest, Resource } from '../request/api-request.ts'
import { nearestName } from './nearest-name.ts'
import { negotiate } from './negotiate.ts'
import { planCall } from './plan-call.ts'
import { planRead } from './plan-read.ts'
import { planWrite } from './plan-write.ts'
import type { Answer, CountMode, Plan } from './plan.ts'

const TABLE_SIMILARITY_MIN = 0.75

export interface PlanSettings {
  /** Rows that a read returns at most. */
  readonly rowsMax: number | undefined
  readonly writesNeedFilter: boolean
  readonly aggregatesEnabled: boolean
  /** The exposed schemas. */
  readonly schemas: readonly string[]
  /** Whether Postgres's plans are shown to those who ask. */
  readonly plansAllowed: boolean
}

/**
 * Decides what a request does, with the catalog in hand and without touching Postgres.
 *
 * @throws HoldfastError PGRST1xx and PGRST2xx: unknown relations and functions, embeds without or with too many relationships
 */
export function planRequest(request: ApiRequest, catalog: RestCatalog, settings: PlanSettings): Plan {
  const { action, preferences, schema } = request
  const { rowsMax, writesNeedFilter, aggregatesEnabled, schemas } = settings
  const agree = (target: RestMediaHandler['target']): Answer => {
    const media = negotiate({ ...settings, accept: request.accept, catalog, target, select: request.query.select })
    const { handling, invalid } = preferences
    if (handling === 'strict' && invalid.length > 0) throw invalidPreferences(invalid)
    return media
  }
  const count: CountMode = preferences.count ?? 'none'
  switch (action.kind) {
    case 'read': {
      const relation = findRelation(catalog, schema, action.relation)
      const source = { kind: 'relation', schema, name: relation.name } as const
      const read = planRead(catalog, request, {
        source,
        relation,
        rootFilters: true,
        rootRange: true,
        rowsMax,
        aggregatesEnabled,
        schemas,
      })
      const media = agree({ kind: 'relation', schema, name: relation.name })
      return { kind: 'read', read, media, bodyless: action.headersOnly, count, rowsMax }
    }
    case 'mutate': {
      const relation = findRelation(catalog, schema, action.relation)
      const root = { source: { kind: 'result' }, relation, rootFilters: false, rootRange: false } as const
      const read = planRead(catalog, request, { ...root, rowsMax: undefined, aggregatesEnabled, schemas })
      const write = planWrite(request, action.mutation, relation, read, writesNeedFilter)
      const wantsLocation = action.mutation === 'create' && preferences.representation === 'headers-only'
      return {
        kind: 'write',
        read,
        write,
        media: agree({ kind: 'relation', schema, name: relation.name }),
        bodyless: preferences.representation !== 'representation',
        location: wantsLocation && relation.primaryKey.length > 0 ? relation.primaryKey : undefined,
        primaryKey: relation.primaryKey,
      }
    }
    case 'call': {
      const call = planCall(catalog, request, action.routine, action.method)
      const { routine } = call
      const read = planRead(catalog, request, {
        source: { kind: 'result' },
        relation: routine.returnsRelation ?? { schema, name: routine.name },
        rootFilters: true,
        rootRange: true,
        rowsMax,
        aggregatesEnabled,
        schemas,
      })
      const { returnsRelation } = routine
      const media = agree({
        kind: returnsRelation ? 'relation' : 'routine',
        ...(returnsRelation ?? { schema, name: routine.name }),
      })
      if (preferences.maxAffected !== undefined && preferences.handling === 'strict' && !routine.returnsSet) {
        throw maxAffectedOnSingleResult()
      }
      const readOnly = action.method !== 'POST' || routine.volatility !== 'volatile'
      const bodyless = action.method === 'HEAD' || routine.returns === 'void'
      return { kind: 'call', read, call, media, bodyless, count, rowsMax, readOnly }
    }
    case 'inspect':
      return { kind: 'inspect', schema, headersOnly: action.headersOnly }
    case 'info':
      return { kind: 'info', allow: allowedMethods(request, catalog, action.resource) }
  }
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
