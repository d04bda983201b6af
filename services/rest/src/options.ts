import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

/** Settings of the REST service. */
export const restOptions = {
  restSchemas: {
    type: 'list',
    default: ['public', 'holdfast'],
    description:
      'Schemas that the project exposes: through the REST API, where the first one is used when a request names none, to devices for sync, and to their uploads.',
  },
  restExtraSearchPath: {
    type: 'list',
    default: ['public', 'extensions'],
    description: 'Schemas that statements find functions and types in, after the schema of the request.',
  },
  restRowsMax: {
    type: 'integer',
    default: 1000,
    min: 0,
    max: 10_000_000,
    description: 'Rows that one read returns at most; 0 for no bound.',
  },
  restBodyBytesMax: {
    type: 'integer',
    default: 8 * 1024 * 1024,
    min: 1024,
    max: 1024 * 1024 * 1024,
    description: 'Bytes that the body of one request may have.',
  },
  restStatementTimeoutMs: {
    type: 'integer',
    default: 8000,
    min: 0,
    max: 3_600_000,
    description:
      'How long one statement may run, in milliseconds, unless the role has its own statement_timeout; 0 for no bound.',
  },
  restHoistedSettings: {
    type: 'list',
    default: ['statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation'],
    description: 'Settings of a function that hold for the whole transaction in which it is called.',
  },
  restPreRequest: {
    type: 'string',
    default: '',
    description: 'A function, `schema.function`, that runs before the statement of every request and may refuse it.',
  },
  restResponseBytesMax: {
    type: 'integer',
    default: 256 * 1024 * 1024,
    min: 1024,
    max: 1024 * 1024 * 1024,
    description: 'Bytes that one answer may have; it is held in memory whole.',
  },
  restServerTimingEnabled: {
    type: 'boolean',
    default: false,
    description: 'Tells in `Server-Timing` how long the stages of a request took.',
  },
  restTraceHeader: {
    type: 'string',
    default: '',
    description: 'A header, such as `X-Request-Id`, that answers repeat as the request gave it.',
  },
  restOpenapiMode: {
    type: 'string',
    default: 'follow-privileges',
    description:
      'What the root of the REST API describes: `follow-privileges`, what the role of the caller may use; `ignore-privileges`, everything; `disabled`, nothing.',
  },
  restOpenapiSecurityActive: {
    type: 'boolean',
    default: false,
    description: 'Says in the description of the REST API that a token is needed.',
  },
  restTransactionEnd: {
    type: 'string',
    default: 'commit-allow-override',
    description:
      'How transactions of the REST API end: `commit` or `rollback`; with `-allow-override` a request may choose with `Prefer: tx=commit` or `tx=rollback`.',
  },
  restRootFunction: {
    type: 'string',
    default: '',
    description:
      'A function, `schema.function`, that answers at the root of the REST API instead of its description. It is called in the schema of the request.',
  },
  restPreConfig: {
    type: 'string',
    default: '',
    description:
      'A function, `schema.function`, that sets `pgrst.…` settings with `set_config`. It runs as `authenticator`, at the start and whenever the catalog changes.',
  },
  restAnonRole: {
    type: 'string',
    default: 'anon',
    description: 'The role of REST requests whose token names none, and of requests without a key; empty refuses them.',
  },
  restErrorVerbosity: {
    type: 'string',
    default: 'verbose',
    description: 'What errors of the REST API say: `verbose`, all; `minimal`, neither details nor a hint.',
  },
  restTargetNamesEnabled: {
    type: 'boolean',
    default: true,
    description:
      'Lets filters, orders and limits name an embedded table by its own name although it has an alias, with a `Warning` in the answer. PostgREST will stop accepting it.',
  },
  restPlanEnabled: {
    type: 'boolean',
    default: false,
    description:
      'Shows the plan of a request to those who accept `application/vnd.pgrst.plan`. It tells about data that they may not see.',
  },
  restWritesNeedFilter: {
    type: 'boolean',
    default: true,
    description: 'Refuses an update or a delete of a whole table, that is, one without any filter.',
  },
  restAggregatesEnabled: {
    type: 'boolean',
    default: false,
    description: 'Allows aggregate functions in `select`, such as `amount.sum()`.',
  },
} satisfies OptionDeclarations

export type RestOptions = OptionValues<typeof restOptions>
