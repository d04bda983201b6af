/** Bytes of a token in a request. Ours stay below 7 KiB with the largest metadata; more is an attempt to keep us busy. */
export const TOKEN_BYTES_MAX = 8 * 1024

/** Verified tokens remembered at once. At about 1 KiB each this is 4 MiB, and more people than one process serves at a time. */
export const VERIFIED_TOKENS_MAX = 4_096

/** Password hashes computed at once. Two keep both cores of a small machine busy and leave the pool's other threads to files. */
export const HASH_JOBS_RUNNING_MAX = 2

/** Password hashes that wait. At about 50 ms each the last one waits some six seconds; after that a refusal is kinder. */
export const HASH_JOBS_WAITING_MAX = 256

/** Bytes of a password. Bcrypt ignores what follows, so a longer one would be weaker than it looks. */
export const PASSWORD_BYTES_MAX = 72

/** Characters of an e-mail address, as the column holds them. */
export const EMAIL_CHARS_MAX = 255

/** Bytes of a user's own metadata as JSON. It travels in every access token, which has to stay below {@link TOKEN_BYTES_MAX}. */
export const USER_METADATA_BYTES_MAX = 4 * 1024

/** Bytes of a request body. Nothing this service reads is longer than a password, an address and the metadata. */
export const BODY_BYTES_MAX = 64 * 1024

/** Addresses a rate limiter remembers; the one unseen for longest is forgotten first, and its bucket was full or soon would be. */
export const RATE_LIMITED_ADDRESSES_MAX = 10_000

/** The window that the rate limits are counted in, in seconds, as in Supabase's settings. */
export const RATE_LIMIT_WINDOW_S = 300

/** Days a used refresh token is kept, so that its reuse is recognised as such and ends the session. */
export const USED_REFRESH_TOKEN_DAYS = 30

/** Characters of a `user-agent` kept with a session. */
export const USER_AGENT_CHARS_MAX = 512

/** Life of an API key in seconds: ten years, as Supabase's. */
export const API_KEY_LIFETIME_S = 10 * 365 * 24 * 3600

/** Milliseconds after which keys that another process has changed are noticed. */
export const KEYS_RELOAD_AFTER_MS = 5_000

/** How long clients may keep the published keys, in seconds; as long as auth-js does. */
export const JWKS_MAX_AGE_S = 600

/** Life of a flow that left the client, in seconds, as GoTrue's. */
export const FLOW_STATE_LIFETIME_S = 300

/** Rows of a page that administrators get when they do not say how many, as GoTrue's. */
export const ADMIN_PAGE_ROWS = 50

/** Rows of a page at most. An account with identities and factors is some 2 KiB of JSON, so a page stays below 20 MiB. */
export const ADMIN_PAGE_ROWS_MAX = 10_000

/** Bytes of what administrators keep on an account as JSON. It travels in every access token, beside the user's own metadata. */
export const APP_METADATA_BYTES_MAX = 4 * 1024
