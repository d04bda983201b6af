import { isRecord } from '@holdfast/foundation'
import { hookFailed, refusedByHook } from './errors.ts'
import type { HookPayload } from './hooks.ts'

/**
 * Parses a hook's response.
 *
 * @param text - JSON; `null` for an empty response
 * @throws {HoldfastError} the hook's refusal, or `unexpected_failure` unless the response is an object
 */
export function readHookAnswer(text: string | null): HookPayload {
  if (text === null) return {}
  const answer = parse(text)
  if (answer === null) return {}
  if (!isRecord(answer)) throw hookFailed('Error unmarshaling JSON output.')
  throwRefusal(answer['error'])
  return answer
}

/** Throws for `{error: {http_code, message}}`. A status without a message is a refusal too, although GoTrue treats it as consent. */
function throwRefusal(error: unknown): void {
  if (!isRecord(error)) return
  const { http_code: status, message } = error
  const isNamed = typeof message === 'string' && message !== ''
  if (!isNamed && status === undefined) return
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
  throw refusedByHook(isStatus ? status : 500, isNamed ? message : 'The request was refused by a hook')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw hookFailed('Error unmarshaling JSON output.', error)
  }
}
