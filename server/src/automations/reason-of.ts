import { sqlstateOf } from '@holdfast/postgres'

/** Why a run failed, as a code that the app has words for: the hint of the database, else by SQLSTATE. */
export function reasonOf(error: unknown): string {
  const { hint } = error as { readonly hint?: unknown }
  if (typeof hint === 'string' && /^[a-z_]+\.[a-z_]+$/.test(hint)) return hint
  const state = sqlstateOf(error) ?? ''
  if (state === '42703') return 'automation.field'
  if (state === '42P01') return 'automation.table'
  if (state === '42501') return 'automation.denied'
  if (state === '57014') return 'automation.timeout'
  if (state.startsWith('22') || state.startsWith('23')) return 'automation.value'
  return 'automation.failed'
}
