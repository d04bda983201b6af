import {
  runPipeline,
  type Connections,
  type PipelineOptions,
  type PipelineStep,
  type SegmentAnswer,
} from '@holdfast/postgres'

export const constant = (text: string): PipelineStep => ({ text, values: [], key: text })

const BEGIN = [constant('begin transaction read only')]
const COMMIT = [constant('commit')]
/** Project functions may have changed settings beyond their transaction. */
const RESET = [constant('reset all'), constant('reset role')]

/**
 * Runs segments of statements in one read-only transaction and one round trip. An error in a segment fails the following ones unless they return to a
 * savepoint.
 *
 * @returns the responses of the segments
 * @throws if no connection is available or it fails
 */
export function readPipelined(
  connections: Connections,
  segments: readonly (readonly PipelineStep[])[],
  options: PipelineOptions,
): Promise<readonly SegmentAnswer[]> {
  return connections.withClient(async (client) => {
    const [begun, ...answers] = await runPipeline(client, [BEGIN, ...segments, COMMIT, RESET], options)
    if (begun?.error) throw begun.error
    const reset = answers.pop()
    answers.pop()
    if (!reset || reset.error || reset.status !== 'I')
      throw reset?.error ?? new Error('the connection is still in a transaction')
    return answers
  })
}
