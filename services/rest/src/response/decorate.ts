import type { RestOptions } from '../options.ts'
import type { TargetName } from '../plan/target-names.ts'
import type { RawRequest } from '../request/parse-request.ts'
import type { Prepared } from '../prepare/stages.ts'
import type { RestResponse } from './rest-response.ts'
import { renderServerTiming, type StageTimes } from './server-timing.ts'

/** Request headers that the response depends on, for caches. As in PostgREST 16, unless a function sets others. */
const VARY = 'Accept, Prefer, Range'

/** Adds the headers that do not depend on the rows. */
export function decorate(
  response: RestResponse,
  { plan }: Prepared,
  raw: RawRequest,
  options: RestOptions,
  times: StageTimes | undefined,
): RestResponse {
  const trace = options.restTraceHeader === '' ? undefined : raw.headers[options.restTraceHeader.toLowerCase()]
  const varies = Object.keys(response.headers).some((name) => name.toLowerCase() === 'vary')
  const targetNames = plan.kind === 'info' || plan.kind === 'inspect' ? [] : plan.targetNames
  if (times === undefined && trace === undefined && varies && targetNames.length === 0) return response
  const headers = {
    ...response.headers,
    ...(!varies && { vary: VARY }),
    ...(times && { 'server-timing': renderServerTiming(times) }),
    ...(targetNames.length > 0 && { warning: renderWarning(targetNames) }),
    ...(trace !== undefined && { [options.restTraceHeader]: String(trace) }),
  }
  return { ...response, headers }
}

/**
 * Renders `299 holdfast "…"`: the request references embeds with an alias by target, which PostgREST will stop accepting.
 *
 * @see RFC 7234, section 5.5
 */
function renderWarning(targetNames: readonly TargetName[]): string {
  const changes = targetNames.map(({ target, alias }) => `${quote(target)} to ${quote(alias)}`).join(', ')
  return `299 holdfast "An embedded table that has an alias was named by its own name, which is deprecated. In filters, orders and limits change ${changes}."`
}

/** Encodes a name, which may contain any character, as ASCII without quotes and control characters. */
function quote(name: string): string {
  return `'${name.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, (sign) => encodeURIComponent(sign))}'`
}
