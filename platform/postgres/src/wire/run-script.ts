import { runStatements, type StatementsOptions } from './run-statements.ts'

export type ScriptOptions = Pick<
  StatementsOptions,
  'url' | 'applicationName' | 'settings' | 'text' | 'onConnected' | 'signal'
>

/** Result of a script's last statement. */
export type ScriptResult =
  | { readonly kind: 'command'; readonly tag: string }
  | { readonly kind: 'rows'; readonly count: number }

/**
 * Runs statements in a dedicated session, counting rows without keeping them.
 *
 * @returns the result of the last statement
 * @throws errors of Postgres; a lost connection; the signal's reason
 */
export async function runScript(options: ScriptOptions): Promise<ScriptResult> {
  const { results, error } = await runStatements({ ...options, rowsMax: 0, bytesMax: 0 })
  if (error) throw error
  const last = results.at(-1)
  return last?.columns ? { kind: 'rows', count: last.count } : { kind: 'command', tag: last?.tag ?? '' }
}
