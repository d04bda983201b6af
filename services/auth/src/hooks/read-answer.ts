import { isRecord } from '@holdfast/foundation'
import { hookFailed, refusedByHook } from './errors.ts'
import type { HookPayload } from './hooks.ts'

/**
 * Reads what a hook answered.
 *
 * @param text - JSON; `null` when it answered nothing
 * @throws {HoldfastError} the refusal that the hook answered with, or `unexpected_failure` for anything but an object
 */
export function readHookAnswer(text: string | null): HookPayload {
  if (text === null) return {}
  const answer = parse(text)
  if (answer === null) return {}
  if (!isRecord(answer)) throw hookFailed('Error unmarshaling JSON output.')
  throwRefusal(answer['error'])
  return answer
}

/** `{error: {http_code, message}}`. A refusal without a message, which GoTrue takes for consent, stays one when it has a status. */
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
