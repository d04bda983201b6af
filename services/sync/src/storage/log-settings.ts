/**
 * Settings for connections to the operation log. Every statement must use an index, whatever the statistics say: they are empty when the first millions of
 * rows arrive, and plans made then must stay good.
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
