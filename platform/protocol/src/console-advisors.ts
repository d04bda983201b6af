/** How urgent advice is: exposed or broken; slow or risky; worth a look. */
export const ADVICE_LEVELS = ['error', 'warning', 'info'] as const

export type AdviceLevel = (typeof ADVICE_LEVELS)[number]

/** Something to improve in the database or its settings. */
export interface Advice {
  /** Name of the check; that of Supabase's linter where it has one: `rls_disabled_in_public`. */
  readonly name: string
  readonly level: AdviceLevel
  readonly category: 'security' | 'performance' | 'sync' | 'server'
  /** The table, policy, index, function or setting. */
  readonly object: string
  /** What is wrong. */
  readonly text: string
  /** What to do. */
  readonly action: string
  /** Statements that do it, to copy. */
  readonly sql?: string
}
