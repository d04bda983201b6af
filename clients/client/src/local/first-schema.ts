import type { SchemaDescriptor } from '@holdfast/protocol'
import type { KeyValueStore } from '../key-value.ts'
import { pause } from '../pause.ts'
import { cacheSchema, fetchSchema } from '../schema/fetch-schema.ts'
import type { Session } from '../session/session.ts'
import { retryDelayMs } from '../upload/backoff.ts'

export interface FirstSchemaOptions {
  readonly url: string
  readonly session: Pick<Session, 'tokensOf'>
  readonly store: KeyValueStore
  readonly fetch: typeof globalThis.fetch
  /** 0 to 1. */
  readonly random: () => number
}

/**
 * Fetches the schema for a new user of the device, with retries.
 *
 * @param asked.onProblem - receives the reason after each failed attempt
 * @returns `undefined` once the signal aborts
 */
export async function fetchFirstSchema(
  options: FirstSchemaOptions,
  asked: { readonly userId: string; readonly signal: AbortSignal; readonly onProblem: (problem: string) => void },
): Promise<SchemaDescriptor | undefined> {
  const { userId, signal, onProblem } = asked
  // Leaving must not wait for an unresponsive server.
  const left = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  for (let attempt = 1; !signal.aborted; attempt++) {
    const answer = await Promise.race([fetchOnce(options, userId), left])
    if (answer === undefined) return undefined
    if (typeof answer !== 'string') {
      await cacheSchema(options.store, userId, answer)
      return answer
    }
    onProblem(answer)
    await pause(retryDelayMs(attempt, undefined, options.random), signal)
  }
  return undefined
}

/** @returns the schema, or why it is unavailable */
async function fetchOnce(
  { url, session, fetch }: FirstSchemaOptions,
  userId: string,
): Promise<SchemaDescriptor | string> {
  const token = await session
    .tokensOf(userId)
    .token()
    .catch(() => undefined)
  if (token === undefined) return 'The session cannot be confirmed now'
  const answer = await fetchSchema({ url, token, version: undefined }, fetch)
  if (answer.kind === 'schema') return answer.schema
  return answer.kind === 'failed' ? answer.message : 'No schema'
}
