import { type HoldfastError, parseJson } from '@holdfast/foundation'
import type { RestResponse } from './rest-response.ts'

/**
 * Renders an error in PostgREST's format. For a HEAD request, the code appears only in `Proxy-Status`.
 *
 * @param isVerbose - whether to include details and hint
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

/** Only the candidates of an ambiguous embed are structured. A function may raise the same code with plain text. */
function detailsOf({ code, detail }: HoldfastError): unknown {
  if (detail === undefined) return null
  return code === 'PGRST201' ? (parseJson(detail) ?? detail) : detail
}
