/**
 * Settings of the connections that read and write the operation log. Every statement on it goes through one of its indexes, whatever the statistics
 * say: they are empty when the first millions of rows arrive, and a plan made then must stay right.
 */
export const LOG_SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: '0',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}
