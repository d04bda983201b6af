import type { SqlError, SqlExplain } from '@holdfast/protocol'
import { parseStatements } from './outside-transaction.ts'

/** The EXPLAIN of a statement. */
export interface ExplainText {
  readonly text: string
  /** Added to places in `text` to get the place in the operator's text. */
  readonly shift: number
}

const OPTIONS: Readonly<Record<SqlExplain, string>> = {
  plan: 'explain (format json)',
  analyze: 'explain (analyze, buffers, format json)',
}

/** Writes the EXPLAIN of the only statement of a text, or returns why there is none. */
export async function explainText(text: string, mode: SqlExplain): Promise<ExplainText | SqlError> {
  const statements = await parseStatements(text)
  if (!Array.isArray(statements)) return statements
  const [statement, second] = statements
  if (!statement) return { message: 'There is no statement to explain.', code: '42601' }
  if (second)
    return {
      message: `Line ${second.line}: only one statement can be explained. Select it.`,
      code: '42601',
      position: second.start + 1,
    }
  if (/^explain\b/i.test(statement.text))
    return { message: 'Leave EXPLAIN out: it is added.', code: '42601', position: statement.start + 1 }
  const prefix = `${OPTIONS[mode]} `
  return { text: prefix + statement.text, shift: statement.start - prefix.length }
}

/** Moves the place of an error into the operator's text, and says how to analyze a statement that writes. */
export function explainError(error: SqlError, { shift }: ExplainText): SqlError {
  return {
    ...error,
    ...(error.position !== undefined && { position: Math.max(1, error.position + shift) }),
    ...(error.code === '25006' && {
      hint: 'Switch off "Read only" to analyze a statement that writes. It is rolled back.',
    }),
  }
}
