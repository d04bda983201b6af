import { type HoldfastError, parseJson } from '@holdfast/foundation'
import type { RestResponse } from './rest-response.ts'

/**
 * PostgREST's form of a refusal. A HEAD request gets the code in `Proxy-Status` only.
 *
 * @param isVerbose - whether details and hint are told
 */
export function renderError(error: HoldfastError, isVerbose: boolean): RestResponse {
  const { code, message, hint = null } = error
  const body = JSON.stringify(isVerbose ? { code, details: detailsOf(error), hint, message } : { code, message })
  return {
    status: error.status,
    statusText: error.statusText,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'proxy-status': `PostgREST; error=${error.code.replaceAll(/[^\w.-]/g, '_')}`,
      ...error.headers,
    },
    body,
  }
}

/** The candidates of an ambiguous embed are the only structured details; a function may raise that code with a text. */
function detailsOf({ code, detail }: HoldfastError): unknown {
  if (detail === undefined) return null
  return code === 'PGRST201' ? (parseJson(detail) ?? detail) : detail
}
