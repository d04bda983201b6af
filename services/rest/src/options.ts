import { flag, integer, list, type OptionDeclarations, type OptionValues, text } from '@holdfast/foundation'

/** Settings of the REST service. */
export const restOptions = {
  restSchemas: list(
    'Schemas that the project exposes: through the REST API, where the first one is used when a request names none, to devices for sync, and to their uploads.',
    { default: ['public', 'holdfast'] },
  ),
  restExtraSearchPath: list('Schemas that statements find functions and types in, after the schema of the request.', {
    default: ['public', 'extensions'],
  }),
  restRowsMax: integer('Rows that one read returns at most; 0 for no bound.', {
    default: 1000,
    min: 0,
    max: 10_000_000,
  }),
  restBodyBytesMax: integer('Bytes that the body of one request may have.', {
    default: 8 * 1024 * 1024,
    min: 1024,
    max: 1024 * 1024 * 1024,
  }),
  restStatementTimeoutMs: integer(
    'How long one statement may run, in milliseconds, unless the role has its own statement_timeout; 0 for no bound.',
    { default: 8000, min: 0, max: 3_600_000 },
  ),
  restHoistedSettings: list('Settings of a function that hold for the whole transaction in which it is called.', {
    default: ['statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation'],
  }),
  restPreRequest: text(
    'A function, `schema.function`, that runs before the statement of every request and may refuse it.',
    { default: '' },
  ),
  restResponseBytesMax: integer('Bytes that one answer may have; it is held in memory whole.', {
    default: 256 * 1024 * 1024,
    min: 1024,
    max: 1024 * 1024 * 1024,
  }),
  restServerTimingEnabled: flag('Tells in `Server-Timing` how long the stages of a request took.', { default: false }),
  restTraceHeader: text('A header, such as `X-Request-Id`, that answers repeat as the request gave it.', {
    default: '',
  }),
  restOpenapiMode: text(
    'What the root of the REST API describes: `follow-privileges`, what the role of the caller may use; `ignore-privileges`, everything; `disabled`, nothing.',
    { default: 'follow-privileges' },
  ),
  restOpenapiSecurityActive: flag('Says in the description of the REST API that a token is needed.', {
    default: false,
  }),
  restTransactionEnd: text(
    'How transactions of the REST API end: `commit` or `rollback`; with `-allow-override` a request may choose with `Prefer: tx=commit` or `tx=rollback`.',
    { default: 'commit-allow-override' },
  ),
  restRootFunction: text(
    'A function, `schema.function`, that answers at the root of the REST API instead of its description. It is called in the schema of the request.',
    { default: '' },
  ),
  restPreConfig: text(
    'A function, `schema.function`, that sets `pgrst.…` settings with `set_config`. It runs as `authenticator`, at the start and whenever the catalog changes.',
    { default: '' },
  ),
  restAnonRole: text(
    'The role of REST requests whose token names none, and of requests without a key; empty refuses them.',
    { default: 'anon' },
  ),
  restErrorVerbosity: text('What errors of the REST API say: `verbose`, all; `minimal`, neither details nor a hint.', {
    default: 'verbose',
  }),
  restTargetNamesEnabled: flag(
    'Lets filters, orders and limits name an embedded table by its own name although it has an alias, with a `Warning` in the answer. PostgREST will stop accepting it.',
    { default: true },
  ),
  restPlanEnabled: flag(
    'Shows the plan of a request to those who accept `application/vnd.pgrst.plan`. It tells about data that they may not see.',
    { default: false },
  ),
  restWritesNeedFilter: flag('Refuses an update or a delete of a whole table, that is, one without any filter.', {
    default: true,
  }),
  restAggregatesEnabled: flag('Allows aggregate functions in `select`, such as `amount.sum()`.', { default: false }),
} satisfies OptionDeclarations

export type RestOptions = OptionValues<typeof restOptions>
