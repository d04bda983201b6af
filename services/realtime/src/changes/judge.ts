import { assumeStep, SQLSTATE, sqlstateOf, type PoolShare, type PipelineStep, type Session } from '@holdfast/postgres'
import { CLASSES_TOGETHER_MAX, JUDGED_MS } from '../limits.ts'
import { rowsOf } from './evaluate-changes.ts'
import { constant, readPipelined } from './read-pipelined.ts'
import type { TableInfo } from './table-info.ts'

/** An access class and the rows whose visibility is being evaluated for it. */
export interface Question {
  readonly session: Session
  /** SQL condition of the table's policies for the role. */
  readonly condition: string
  /** Composite literals of the table. */
  readonly rows: readonly string[]
}

/** Visibility per row, in order, or the reason why it could not be determined. */
export type Answer = readonly boolean[] | Error

/** Response limit in bytes: one number per visible row. */
const ROW_BYTES_MAX = 1024 * 1024

/** Client-side grace in ms beyond the statement timeout. */
const PATIENCE_MS = 30_000

const PREPARE = [constant(`set local statement_timeout = ${JUDGED_MS}`), constant('savepoint person')]
/** Reverts role, claims and settings changed by functions. */
const NEXT_CLASS = [constant('rollback to savepoint person')]

/**
 * Evaluates in Postgres which rows each access class may see, by applying the table's policies to the rows as committed. Each class runs with its role and
 * claims, as a request would; many classes share one transaction and round trip. A policy error affects only its own question.
 *
 * @returns in the order of the questions
 * @throws if the connection fails
 */
export async function judge(
  share: PoolShare,
  table: TableInfo,
  questions: readonly Question[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let at = 0; at < questions.length; at += CLASSES_TOGETHER_MAX)
    answers.push(...(await judgeSome(share, table, questions.slice(at, at + CLASSES_TOGETHER_MAX))))
  for (const [index, question] of questions.entries()) {
    const answer = answers[index]
    if (!(answer instanceof Error) || question.rows.length < 2 || sqlstateOf(answer) === SQLSTATE.queryCanceled)
      continue
    const alone = await judge(
      share,
      table,
      question.rows.map((row) => ({ ...question, rows: [row] })),
    )
    answers[index] = alone.map((one) => !(one instanceof Error) && one[0] === true)
  }
  return answers
}

async function judgeSome(
  share: PoolShare,
  table: TableInfo,
  questions: readonly Question[],
): Promise<readonly Answer[]> {
  const connections = share.for({ userKey: undefined })
  const segments = questions.flatMap((question) => [
    [assumeStep(connections, question.session), stepOf(table, question)],
    NEXT_CLASS,
  ])
  const [prepared, ...found] = await readPipelined(connections, [PREPARE, ...segments], {
    timeoutMs: questions.length * JUDGED_MS + PATIENCE_MS,
    rowBytesMax: ROW_BYTES_MAX,
  })
  if (prepared?.error) throw prepared.error
  return questions.map(({ rows }, index): Answer => {
    const [answer, undone] = [found[2 * index], found[2 * index + 1]]
    if (undone?.error) throw undone.error
    if (!answer || answer.error) return answer?.error ?? new Error('there was no response')
    const seen = new Set((answer.steps[1]?.rows ?? []).map(([position]) => Number(position?.toString('latin1'))))
    return rows.map((_, position) => seen.has(position + 1))
  })
}

function stepOf(table: TableInfo, { condition, rows }: Question): PipelineStep {
  // The condition was printed by Postgres; the rows are parameters.
  return {
    text: `select "#rows"."#position"::text from ${rowsOf(table)} where ${condition}`,
    values: [rows],
    key: undefined,
  }
}
