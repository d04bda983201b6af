import * as v from 'valibot'
import { localValue } from '../local-value.ts'

/** Rights remembered per device; the oldest are forgotten. */
const KEPT_MAX = 200

/** What policies allowed the last opened account, used until the rules are evaluated. */
const stored = localValue('hf-rights', v.object({ userId: v.string(), rights: v.record(v.string(), v.boolean()) }))

/**
 * Returns what was last known.
 *
 * @param right - command and table, such as `update/sites`
 */
export function recallRight(userId: string, right: string): boolean | undefined {
  const last = stored.read()
  return last?.userId === userId ? last.rights[right] : undefined
}

export function rememberRight(userId: string, right: string, isAllowed: boolean): void {
  const last = stored.read()
  const { [right]: known, ...others } = last?.userId === userId ? last.rights : {}
  if (known === isAllowed) return
  const entries = [...Object.entries(others), [right, isAllowed] as const].slice(-KEPT_MAX)
  stored.write({ userId, rights: Object.fromEntries(entries) })
}

/** Names of tables are project data, deleted with the account's data. */
export function forgetRights(userId: string): void {
  if (stored.read()?.userId === userId) stored.clear()
}
