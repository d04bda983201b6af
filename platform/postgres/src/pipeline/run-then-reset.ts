import type { ClientBase } from 'pg'
import { RESET_STATEMENTS } from './reset-statements.ts'
import type { SegmentAnswer } from './exchange.ts'
import { runPipeline, type PipelineOptions, type PipelineStep } from './pipeline.ts'

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
