/**
 * Leaves a session as it began, for whoever has it next. A function of the project may have changed settings, or the role, for longer than its transaction; its
 * temporary tables would come before the tables of the same names and show rows of another person; its locks would never be given back.
 *
 * `discard all` would also forget prepared statements, and is not allowed in a transaction.
 */
export const RESET_STATEMENTS: readonly string[] = [
  'reset all',
  'reset role',
  'discard temp',
  'select pg_catalog.pg_advisory_unlock_all()',
]
