import type { RestOptions } from '../options.ts'
import type { RawRequest } from '../request/parse-request.ts'
import type { Prepared } from '../prepare/stages.ts'
import type { RestResponse } from './rest-response.ts'
import { renderServerTiming, type StageTimes } from './server-timing.ts'
import { renderWarning } from './warning.ts'

/** What an answer depends on beside its address, for caches. As PostgREST 16 says it, unless a function says otherwise. */
const VARY = 'Accept, Prefer, Range'

/** Adds the headers that say nothing about the rows. */
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
