import { errorMessage } from '@holdfast/foundation'
import type { SqlError } from '@holdfast/protocol'
import { splitStatements, type SqlStatement } from '@holdfast/policy'

const REASONS: Readonly<Record<Exclude<SqlStatement['kind'], 'plain'>, string>> = {
  'begin or commit': 'everything runs in one transaction that is rolled back. Take BEGIN and COMMIT out.',
  'ends the transaction':
    'everything runs in one transaction that is rolled back. Take ROLLBACK and PREPARE TRANSACTION out.',
  'reads the input': 'COPY from and to the client is not available here.',
  'runs alone': 'everything runs in one transaction, in which Postgres refuses this statement.',
}

/** Parses a text into its statements, or returns the syntax error with its place. */
export async function parseStatements(text: string): Promise<SqlStatement[] | SqlError> {
  try {
    return [...(await splitStatements(text))]
  } catch (error) {
    const { cursorPosition } = error as { readonly cursorPosition?: number }
    return {
      message: errorMessage(error),
      code: '42601',
      ...(cursorPosition !== undefined && { position: cursorPosition }),
    }
  }
}

/** Returns why a text cannot run in a transaction that is not its own, with the place; `undefined` if it can. */
export async function refuseOutsideTransaction(text: string): Promise<SqlError | undefined> {
  const statements = await parseStatements(text)
  if (!Array.isArray(statements)) return statements
  for (const { kind, start, line } of statements)
    if (kind !== 'plain') return { message: `Line ${line}: ${REASONS[kind]}`, code: '25001', position: start + 1 }
  return undefined
}
