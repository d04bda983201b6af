import { flag, integer, list, type OptionDeclarations, type OptionValues, text } from '@holdfast/foundation'

/** Settings of the REST service. */
export const restOptions = {
  restSchemas: list(
    'Exposed schemas: through REST, where the first is the default, and to devices for sync and uploads.',
    { default: ['public', 'holdfast'] },
  ),
  restExtraSearchPath: list('Schemas in which functions and types are found, after the request’s schema.', {
    default: ['public', 'extensions'],
  }),
  restRowsMax: integer('Maximum rows per read; 0 for no limit.', {
    default: 1000,
    min: 0,
    max: 10_000_000,
  }),
  restBodyBytesMax: integer('Maximum bytes of a request body.', {
    default: 8 * 1024 * 1024,
    min: 1024,
    max: 1024 * 1024 * 1024,
  }),
  restStatementTimeoutMs: integer(
    'Statement timeout in ms, unless the role has its own statement_timeout; 0 for none.',
    { default: 8000, min: 0, max: 3_600_000 },
  ),
  restHoistedSettings: list('Settings of a called function that apply to its whole transaction.', {
    default: ['statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation'],
  }),
  restPreRequest: text('Function, `schema.function`, that runs before every request and may refuse it.', {
    default: '',
  }),
  restResponseBytesMax: integer('Maximum bytes of a response, which is held in memory.', {
    default: 256 * 1024 * 1024,
    min: 1024,
    max: 1024 * 1024 * 1024,
  }),
  restServerTimingEnabled: flag('Reports the duration of each stage in `Server-Timing`.', { default: false }),
  restTraceHeader: text('Request header, such as `X-Request-Id`, to repeat in responses.', {
    default: '',
  }),
  restOpenapiMode: text(
    'Content of the API description at the REST root: `follow-privileges` (what the caller’s role may use), `ignore-privileges` (everything) or `disabled`.',
    { default: 'follow-privileges' },
  ),
  restOpenapiSecurityActive: flag('Whether that description says that a token is required.', {
    default: false,
  }),
  restTransactionEnd: text(
    'How REST transactions end: `commit` or `rollback`; with `-allow-override` requests may choose by `Prefer: tx=commit` or `tx=rollback`.',
    { default: 'commit-allow-override' },
  ),
  restRootFunction: text(
    'Function, `schema.function`, that replaces the description at the REST root. Called in the request’s schema.',
    { default: '' },
  ),
  restPreConfig: text(
    'Function, `schema.function`, that sets `pgrst.…` settings with `set_config`. Runs as `authenticator` at the start and after catalog changes.',
    { default: '' },
  ),
  restAnonRole: text('Role of REST requests without a key or whose token names no role; empty refuses them.', {
    default: 'anon',
  }),
  restErrorVerbosity: text('Content of REST errors: `verbose`, or `minimal` without details and hint.', {
    default: 'verbose',
  }),
  restTargetNamesEnabled: flag(
    'Lets filters, orders and limits use an embedded table’s own name despite an alias, with a `Warning`. PostgREST will drop this.',
    { default: true },
  ),
  restPlanEnabled: flag(
    'Returns a request’s plan for `application/vnd.pgrst.plan`. Plans reveal information about hidden rows.',
    { default: false },
  ),
  restWritesNeedFilter: flag('Refuses updates and deletes without a filter.', {
    default: true,
  }),
  restAggregatesEnabled: flag('Allows aggregate functions in `select`, such as `amount.sum()`.', { default: false }),
} satisfies OptionDeclarations

export type RestOptions = OptionValues<typeof restOptions>
