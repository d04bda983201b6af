/** Characters of `Content-Location`; a longer one is left out, because Node's clients refuse answers whose headers exceed 16 KiB. */
export const CONTENT_LOCATION_CHARACTERS_MAX = 4_096

/** Parameters of one query string. A form with more conditions than this is a mistake or an attack on the planner. */
export const PARAMETERS_MAX = 300

/** Conditions of one request, counted over all trees. Planning time in Postgres grows faster than linearly with them. */
export const CONDITIONS_MAX = 500

/** Nesting of `and(or(and(…)))`. Deeper trees only serve to exhaust a stack. */
export const LOGIC_DEPTH_MAX = 30

/** Values of one `in.(…)`. They travel as one array parameter, so the bound is about the size of the address. */
export const LIST_VALUES_MAX = 10_000

/** Items of one `select`, embeds included. */
export const SELECT_ITEMS_MAX = 500

/** Levels of embedding. Every level is a lateral join inside the one above. */
export const EMBED_DEPTH_MAX = 8

/** Embeds of one request. */
export const EMBEDS_MAX = 40

/** Steps of one JSON path. */
export const JSON_STEPS_MAX = 30

/** Terms of one `order`. */
export const ORDER_TERMS_MAX = 50

/** Columns that one payload may name: what a Postgres table can have. */
export const PAYLOAD_COLUMNS_MAX = 1600

/** Characters that the names of columns take in all rows of a CSV, which become JSON. Sixteen times a body of the default size. */
export const CSV_NAMES_CHARACTERS_MAX = 128 * 1024 * 1024

/** Statements that are kept prepared, per version of the catalog. A connection keeps the 256 that it used last, each for one role. */
export const STATEMENT_NAMES_MAX = 1_000

/** Requests that wait for a connection or have one. Each holds its body; more of them would only wait until they are given up. */
export const REQUESTS_UNDER_WAY_MAX = 1_000

/** Statements of one transaction that a `statement_timeout` counts for one by one: settings, pre-request, count, statement, commit. */
export const STATEMENTS_MAX = 5

/** Milliseconds that Postgres gets beyond its own timeouts before it counts as gone. */
export const DEADLINE_GRACE_MS = 10_000

/** The longest delay that a timer of Node's takes. */
export const DEADLINE_MS_MAX = 2_147_483_647

/** Milliseconds in which a client takes nothing of its answer before it is cut off: the answer is held in memory, by the system or here. */
export const STALLED_MS = 60_000

/** Shapes of requests whose plans are kept. One takes some ten kilobytes. */
export const PLANS_MAX = 1_000

/** Milliseconds that the function of `restPreConfig` may take: requests wait for it when the catalog has changed. */
export const PRE_CONFIG_TIMEOUT_MS = 5_000
