import type { ClientBase } from 'pg'
import type { SegmentAnswer } from './exchange.ts'
import { runPipeline, type PipelineOptions, type PipelineStep } from './pipeline.ts'

/**
 * Resets a session for its next user. A project function may have changed settings or the role beyond its transaction, its temporary tables would shadow tables
 * and show another user's rows, and its locks would never be released.
 *
 * `discard all` would also drop prepared statements, and is not allowed in a transaction.
 */
export const RESET_STATEMENTS: readonly string[] = [
  'reset all',
  'reset role',
  'discard temp',
  'select pg_catalog.pg_advisory_unlock_all()',
]

/** See {@link RESET_STATEMENTS}. */
export const RESET_SESSION: readonly PipelineStep[] = RESET_STATEMENTS.map((text) => ({
  text,
  values: [],
  key: text,
}))

export interface AnswerThenReset {
  /** Response of the first segment. */
  readonly answer: SegmentAnswer
  /** Whether the connection can be reused: open, outside a transaction, and later segments succeeded. */
  readonly isClean: boolean
}

/**
 * Runs a relevant segment followed by segments that only reset the connection. If those fail or the connection breaks, the first response is still returned: it
 * may have committed a change that a client told of a failure would repeat.
 *
 * @throws if the connection broke before the first response
 */
export async function runThenReset(
  client: ClientBase,
  segments: readonly (readonly PipelineStep[])[],
  options: Omit<PipelineOptions, 'onAnswer'>,
): Promise<AnswerThenReset> {
  const answers: SegmentAnswer[] = []
  let isLost = false
  try {
    await runPipeline(client, segments, { ...options, onAnswer: (answer) => answers.push(answer) })
  } catch (error) {
    if (answers.length === 0) throw error
    isLost = true
  }
  const [answer, ...after] = answers
  if (!answer) throw new Error('Postgres did not respond')
  const isIdle = answers.at(-1)?.status === 'I'
  return { answer, isClean: !isLost && isIdle && after.every(({ error }) => error === undefined) }
}
