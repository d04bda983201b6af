import type { Preferences } from '../request/api-request.ts'

/** How transactions end, and whether `Prefer: tx=` may change it. Source: PostgREST reference, "db-tx-end". */
const ENDS = ['commit', 'commit-allow-override', 'rollback', 'rollback-allow-override'] as const

export type TransactionEnd = (typeof ENDS)[number]

export function isTransactionEnd(text: string): text is TransactionEnd {
  return ENDS.some((end) => end === text)
}

/** Returns whether a request may choose how its transaction ends. */
export function mayChooseEnd(end: string): boolean {
  return end.endsWith('-allow-override')
}

/** @param asked - the request's choice, if it may choose */
export function endsInRollback(end: string, asked: Preferences['transaction']): boolean {
  return asked === undefined ? end.startsWith('rollback') : asked === 'rollback'
}
