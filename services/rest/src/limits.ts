/** Length limit of `Content-Location` in characters. Longer ones are omitted, because Node's clients reject headers above 16 KiB. */
export const CONTENT_LOCATION_CHARACTERS_MAX = 4_096

/** Parameters per query string. More conditions than this are a mistake or an attack on the planner. */
export const PARAMETERS_MAX = 300

/** Conditions per request over all trees. Planning time in Postgres grows faster than linearly with them. */
export const CONDITIONS_MAX = 500

/** Nesting limit of `and(or(and(…)))`. Deeper trees only serve to exhaust a stack. */
export const LOGIC_DEPTH_MAX = 30

/** Values per `in.(…)`. They are sent as one array parameter, so this bounds the size of the URL. */
export const LIST_VALUES_MAX = 10_000

/** Items per `select`, including embeds. */
export const SELECT_ITEMS_MAX = 500

/** Embedding levels. Each is a lateral join inside the one above. */
export const EMBED_DEPTH_MAX = 8

/** Embeds per request. */
export const EMBEDS_MAX = 40

/** Steps per JSON path. */
export const JSON_STEPS_MAX = 30

/** Terms per `order`. */
export const ORDER_TERMS_MAX = 50

/** Columns per payload, equal to the limit of a Postgres table. */
export const PAYLOAD_COLUMNS_MAX = 1600

/** Total characters of column names after a CSV becomes JSON: sixteen times a body of the default size. */
export const CSV_NAMES_CHARACTERS_MAX = 128 * 1024 * 1024

/** Named statements per version of the catalog. A connection keeps the last 256 prepared, each for one role. */
export const STATEMENT_NAMES_MAX = 1_000

/** Requests that have or await a connection. Each holds its body; further ones would only wait until they time out. */
export const REQUESTS_UNDER_WAY_MAX = 1_000

/** Statements per transaction to which `statement_timeout` applies separately: settings, pre-request, count, statement, commit. */
export const STATEMENTS_MAX = 5

/** Grace period in ms beyond Postgres's own timeouts before it counts as gone. */
export const DEADLINE_GRACE_MS = 10_000

/** Longest delay in ms of a Node timer. */
export const DEADLINE_MS_MAX = 2_147_483_647

/** Timeout in ms for a client that stops reading its response, which occupies memory. */
export const STALLED_MS = 60_000

/** Cached plans by request shape, about 10 KB each. */
export const PLANS_MAX = 1_000

/** Timeout in ms of the `restPreConfig` function. Requests wait for it after a catalog change. */
export const PRE_CONFIG_TIMEOUT_MS = 5_000
