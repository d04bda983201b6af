import { assert } from '@holdfast/foundation'
import type { RestRelation } from '../catalog/catalog.ts'
import { columnNotFound, filterRequired, invalidFilters, putKeyMismatch } from '../errors.ts'
import type { ApiRequest, RowsPayload } from '../request/api-request.ts'
import { neededColumns } from './needed-columns.ts'
import { planConditions } from './plan-field.ts'
import type { PayloadColumn, ReadPlan, WritePlan } from './plan.ts'

/** Alias of the payload's rows. */
export const PAYLOAD_ALIAS = 'rest_body'

/**
 * Plans an insert, upsert, update or delete.
 *
 * @param read - the selection from the written rows
 * @throws PGRST204 for a payload column missing in the relation, PGRST105 for a PUT without its key, 21000 for an update or delete of all rows
 */
export function planWrite(
  request: ApiRequest,
  mutation: 'create' | 'update' | 'put' | 'delete',
  relation: RestRelation,
  read: ReadPlan,
  writesNeedFilter: boolean,
): WritePlan {
  const { schema, name } = relation
  const { preferences } = request
  const silent = preferences.representation === undefined || preferences.representation === 'minimal'
  const returning = silent ? [] : neededColumns(read, relation.primaryKey)
  const applyDefaults = preferences.missing === 'default'
  switch (mutation) {
    case 'create':
      return {
        kind: 'insert',
        schema,
        name,
        columns: payloadColumns(request, relation),
        payload: payloadOf(request),
        applyDefaults,
        conflict: planConflict(request, relation),
        countInserted: preferences.resolution === 'merge-duplicates',
        where: [],
        returning,
      }
    case 'put': {
      const key = requireKeyFilters(request, relation)
      const columns = payloadColumns(request, relation)
      if (!key.every((name) => columns.some((column) => column.name === name))) throw putKeyMismatch()
      return {
        kind: 'insert',
        schema,
        name,
        columns,
        payload: payloadOf(request),
        applyDefaults: false,
        conflict: { action: 'merge', columns: key },
        countInserted: true,
        where: planConditions(relation, [PAYLOAD_ALIAS], rootFilters(request), []),
        returning,
      }
    }
    case 'update':
    case 'delete': {
      const where = planConditions(relation, [schema, name], rootFilters(request), rootLogic(request))
      const touchesAll = writesNeedFilter && where.length === 0
      if (mutation === 'delete') {
        if (touchesAll) throw filterRequired('DELETE')
        return { kind: 'delete', schema, name, where, returning }
      }
      const columns = payloadColumns(request, relation)
      if (touchesAll && columns.length > 0) throw filterRequired('UPDATE')
      return { kind: 'update', schema, name, columns, payload: payloadOf(request), applyDefaults, where, returning }
    }
  }
}

function payloadOf({ payload }: ApiRequest): RowsPayload {
  assert(payload?.kind === 'rows', 'a request that writes to a relation has rows')
  return payload
}

function payloadColumns(request: ApiRequest, relation: RestRelation): PayloadColumn[] {
  return payloadOf(request).columns.map((name) => {
    const column = relation.columns.get(name)
    if (!column) throw columnNotFound(relation.name, name)
    const { type, defaultSql, representation } = column
    return { name, type, defaultSql, fromJson: representation.fromJson }
  })
}

function planConflict(
  request: ApiRequest,
  relation: RestRelation,
): { readonly action: 'merge' | 'ignore'; readonly columns: readonly string[] } | undefined {
  const { resolution } = request.preferences
  const columns = request.query.onConflict ?? relation.primaryKey
  if (resolution === undefined || columns.length === 0) return undefined
  return { action: resolution === 'merge-duplicates' ? 'merge' : 'ignore', columns }
}

/** Requires that a PUT names exactly one row: an `eq` filter on every primary key column, and no other filter. */
function requireKeyFilters(request: ApiRequest, relation: RestRelation): readonly string[] {
  const filters = rootFilters(request)
  const names = new Set(filters.map(({ field }) => field.name))
  const exact = filters.every(
    ({ field, negated, operation }) =>
      field.path.length === 0 &&
      !negated &&
      operation.kind === 'quantifiable' &&
      operation.operator === 'eq' &&
      operation.quantifier === undefined,
  )
  const isKey = names.size === relation.primaryKey.length && relation.primaryKey.every((name) => names.has(name))
  if (!exact || !isKey || names.size === 0 || request.query.logic.length > 0) throw invalidFilters()
  return relation.primaryKey
}

function rootFilters({ query }: ApiRequest) {
  return query.filters.filter(({ path }) => path.length === 0).map(({ value }) => value)
}

function rootLogic({ query }: ApiRequest) {
  return query.logic.filter(({ path }) => path.length === 0).map(({ value }) => value)
}
