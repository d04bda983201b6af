import type { ExecuteResult } from '../execute/execute.ts'
import { offsetOutOfBounds } from '../errors.ts'
import type { DatabasePlan } from '../plan/plan.ts'
import type { ApiRequest, Preferences } from '../request/api-request.ts'
import { CONTENT_LOCATION_CHARACTERS_MAX } from '../limits.ts'
import { renderContentType } from '../request/media-type.ts'
import { applySettings } from './apply-settings.ts'
import { rangeStatus, renderContentRange } from '../execute/content-range.ts'
import type { RestResponse } from './rest-response.ts'

/** Converts the result row to status, headers and body. */
export function respond(request: ApiRequest, plan: DatabasePlan, result: ExecuteResult): RestResponse {
  if (plan.media.explain) return { status: 200, headers: contentHeaders(request, plan), body: result.row.body }
  const response = plan.kind === 'write' ? respondToWrite(request, plan, result) : respondToRead(request, plan, result)
  return applySettings(response, result)
}

export function respondInfo(allow: string): RestResponse {
  return { status: 200, headers: { allow }, body: '' }
}

/** @param description - of the API, as JSON */
export function respondToInspect(request: ApiRequest, result: ExecuteResult, description: string): RestResponse {
  const headers = {
    'content-type': 'application/openapi+json; charset=utf-8',
    ...(request.schemaNegotiated ? { 'content-profile': request.schema } : {}),
  }
  return applySettings({ status: 200, headers, body: request.method === 'HEAD' ? '' : description }, result)
}

function respondToRead(
  request: ApiRequest,
  plan: Exclude<DatabasePlan, { readonly kind: 'write' }>,
  { row, planned }: ExecuteResult,
): RestResponse {
  const rows = Number(row.rows)
  const total = totalOf(plan, row.total, planned)
  const { offset } = request.range
  const status = rangeStatus(offset, rows, total)
  if (status === 416) throw offsetOutOfBounds(offset, total ?? 0)
  const headers: Record<string, string> = {
    'content-range': renderContentRange(offset, offset + rows - 1, total),
    ...preferenceApplied(request, plan),
  }
  if (plan.kind === 'call' && plan.call.routine.returns === 'void') return { status: 204, headers, body: '' }
  if (plan.kind === 'read') {
    const { canonical } = request.query
    const location = `${request.path}${canonical === '' ? '' : `?${canonical}`}`
    if (location.length <= CONTENT_LOCATION_CHARACTERS_MAX) headers['content-location'] = location
  }
  return { status, headers: { ...headers, ...contentHeaders(request, plan) }, body: row.body }
}

/** Returns the counted rows, or the planner's number for a planned count and for an estimate beyond the row limit. */
function totalOf(
  plan: Exclude<DatabasePlan, { readonly kind: 'write' }>,
  counted: string | null,
  planned: number | undefined,
): number | undefined {
  if (plan.count === 'planned') return planned
  if (counted === null) return undefined
  const total = Number(counted)
  const isEstimate = plan.count === 'estimated' && total > (plan.rowsMax ?? 0)
  return isEstimate ? Math.max(total, planned ?? 0) : total
}

function respondToWrite(
  request: ApiRequest,
  plan: Extract<DatabasePlan, { readonly kind: 'write' }>,
  { row }: ExecuteResult,
): RestResponse {
  const rows = Number(row.rows)
  const { preferences } = request
  const full = preferences.representation === 'representation'
  const isPut = request.method === 'PUT'
  const counted = preferences.count === 'exact' || preferences.count === 'estimated' ? rows : undefined
  const range =
    plan.write.kind === 'update' ? renderContentRange(0, rows - 1, counted) : renderContentRange(1, 0, counted)
  const headers: Record<string, string> = {
    ...(isPut ? {} : { 'content-range': range }),
    ...preferenceApplied(request, plan),
    ...(row.location === null ? {} : { location: renderLocation(request.path, row.location) }),
  }
  const inserted = row.inserted === null ? undefined : Number(row.inserted)
  if (plan.write.kind === 'insert' && !isPut) {
    const status = plan.write.countInserted && (inserted ?? 0) <= 0 ? 200 : 201
    if (!full) return { status, headers, body: '' }
    return { status, headers: { ...headers, ...contentHeaders(request, plan) }, body: row.body }
  }
  if (!full) return { status: 204, headers, body: '' }
  const status = isPut && (inserted ?? 0) > 0 ? 201 : 200
  return { status, headers: { ...headers, ...contentHeaders(request, plan) }, body: row.body }
}

function contentHeaders(request: ApiRequest, plan: DatabasePlan): Record<string, string> {
  return {
    'content-type': renderContentType(plan.media.type),
    ...(request.schemaNegotiated ? { 'content-profile': request.schema } : {}),
  }
}

/** Renders `/tasks?id=eq.7` from `[["id","7"]]`. */
function renderLocation(path: string, pairs: string): string {
  const values = JSON.parse(pairs) as readonly (readonly [name: string, value: string | null])[]
  const params = values.map(([name, value]) => `${encode(name)}=${value === null ? 'is.null' : encode(`eq.${value}`)}`)
  return `${path}?${params.join('&')}`
}

/** Encodes everything except unreserved characters (RFC 3986, section 2.3). */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Lists only preferences that affected the request. */
function preferenceApplied(request: ApiRequest, plan: DatabasePlan): Record<string, string> {
  const given: Preferences = request.preferences
  const write = plan.kind === 'write' ? plan.write.kind : undefined
  const isCreate = write === 'insert' && request.method === 'POST'
  const hasTarget = plan.kind === 'write' && (plan.primaryKey.length > 0 || request.query.onConflict !== undefined)
  const limitsAffected = write === 'update' || write === 'delete' || plan.kind === 'call'
  const applied = [
    isCreate && hasTarget && given.resolution && `resolution=${given.resolution}`,
    (isCreate || write === 'update') && given.missing && `missing=${given.missing}`,
    write !== undefined && given.representation && `return=${given.representation}`,
    given.count && `count=${given.count}`,
    given.transaction && `tx=${given.transaction}`,
    given.handling && `handling=${given.handling}`,
    given.timezone && `timezone=${given.timezone}`,
    limitsAffected &&
      given.handling === 'strict' &&
      given.maxAffected !== undefined &&
      `max-affected=${given.maxAffected}`,
  ].filter((preference) => typeof preference === 'string' && preference !== '')
  return applied.length === 0 ? {} : { 'preference-applied': applied.join(', ') }
}
