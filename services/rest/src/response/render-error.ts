import { HoldfastError } from '@holdfast/foundation'
import type { RestResponse } from './respond.ts'

/** PostgREST's form of a refusal. A HEAD request gets the code in `Proxy-Status` only. */
export function renderError(error: HoldfastError): RestResponse {
  // The candidates of an ambiguous embed are the only structured details.
  const details: unknown =
    error.code === 'PGRST201' && error.detail !== undefined ? JSON.parse(error.detail) : error.detail
  const body = JSON.stringify({
    code: error.code,
    details: details ?? null,
    hint: error.hint ?? null,
    message: error.message,
  })
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'proxy-status': `PostgREST; error=${error.code.replaceAll(/[^\w.-]/g, '_')}`,
      ...error.headers,
    },
    body,
  }
}
