/**
 * Resets a session for its next user. A project function may have changed settings or the role beyond its transaction, its temporary tables would shadow tables
 * and show another user's rows, and its locks would never be released.
 *
 * `discard all` would also drop prepared statements, and is not allowed in a transaction.
 */
export const RESET_STATEMENTS: readonly string[] = [
  'reset all',
  'reset role',
  'discard temp',
  'select pg_catalog.pg_advisory_unlock_all()',
]
