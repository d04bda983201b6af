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
  /** Of the first segment. */
  readonly answer: SegmentAnswer
  /** Whether the connection may be used again: it is there, in no transaction, and the segments after the first have not failed. */
  readonly isClean: boolean
}

/**
 * Runs a segment whose answer counts, and others that only leave the connection as it was. When those fail, or the connection breaks under them, the answer is
 * still what the first one did: it may have committed a change, which a client that is told of a failure would make again.
 *
 * @throws when the connection broke before the first segment was answered
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
