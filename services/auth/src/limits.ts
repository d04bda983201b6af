/** Token size limit in bytes. Our tokens stay below 7 KiB with the largest metadata; larger ones only waste time. */
export const TOKEN_BYTES_MAX = 8 * 1024

/** Cached verified tokens. At about 1 KiB each this is 4 MiB, for more users than one process serves at a time. */
export const VERIFIED_TOKENS_MAX = 4_096

/** Response limit of the breached-password service in bytes. The longest padded range has about 60 KiB. */
export const LEAKED_PASSWORDS_BYTES_MAX = 256 * 1024

/** Timeout in ms for the breached-password service. A user is waiting; a typical reply takes 50 ms. */
export const LEAKED_PASSWORDS_TIMEOUT_MS = 3_000

/** Concurrent password hashes. Two use both cores of a small machine and leave the thread pool's other threads to file access. */
export const HASH_JOBS_RUNNING_MAX = 2

/** Queued password hashes. At about 50 ms each the last one waits about six seconds; further requests are refused. */
export const HASH_JOBS_WAITING_MAX = 256

/** Password limit in bytes. Bcrypt ignores further bytes, so a longer password would be weaker than it looks. */
export const PASSWORD_BYTES_MAX = 72

/** Length limit of an email address in characters, as in the column. */
export const EMAIL_CHARS_MAX = 255

/** Limit of user metadata as JSON in bytes. Every access token carries it and must stay below {@link TOKEN_BYTES_MAX}. */
export const USER_METADATA_BYTES_MAX = 4 * 1024

/** Request body limit in bytes, ample for a password, an address and the metadata. */
export const BODY_BYTES_MAX = 64 * 1024

/** Addresses per rate limiter. The least recently seen is evicted first; its bucket is full or nearly so. */
export const RATE_LIMITED_ADDRESSES_MAX = 10_000

/** Window of the rate limits in seconds, as in Supabase's settings. */
export const RATE_LIMIT_WINDOW_S = 300

/** Days to keep a used refresh token, so that reuse is detected and ends the session. */
export const USED_REFRESH_TOKEN_DAYS = 30

/** Length limit in characters of the `user-agent` stored with a session. */
export const USER_AGENT_CHARS_MAX = 512

/** Lifetime of an API key in seconds: ten years, as in Supabase. */
export const API_KEY_LIFETIME_S = 10 * 365 * 24 * 3600

/** Interval in ms at which changes to keys by other processes are picked up. */
export const KEYS_RELOAD_AFTER_MS = 5_000

/** Interval in ms at which new superusers and `BYPASSRLS` roles are picked up. Postgres sends no notification. */
export const ROLES_RELOAD_AFTER_MS = 10_000

/** Cache lifetime of the published keys in seconds, as in auth-js. */
export const JWKS_MAX_AGE_S = 600

/** Lifetime in seconds of a flow that left the client, as in GoTrue. */
export const FLOW_STATE_LIFETIME_S = 300

/** Default page size for administrators, as in GoTrue. */
export const ADMIN_PAGE_ROWS = 50

/** Largest page size. An account with identities and factors is about 2 KiB of JSON, so a page stays below 20 MiB. */
export const ADMIN_PAGE_ROWS_MAX = 10_000

/** Limit of app metadata as JSON in bytes. Every access token carries it together with the user metadata. */
export const APP_METADATA_BYTES_MAX = 4 * 1024

/** Timeout of a Postgres hook in ms, as in GoTrue. */
export const PG_HOOK_TIMEOUT_MS = 2_000

/** Timeout of an HTTP hook in ms, including all attempts, as in GoTrue. */
export const HTTP_HOOK_TIMEOUT_MS = 5_000

/** Attempts of an HTTP hook, as in GoTrue. */
export const HTTP_HOOK_ATTEMPTS_MAX = 3

/** Delay in ms between attempts of an HTTP hook, as in GoTrue. */
export const HTTP_HOOK_BACKOFF_MS = 2_000

/** Response limit of an HTTP hook in bytes, as in GoTrue. */
export const HTTP_HOOK_ANSWER_BYTES_MAX = 200 * 1024

/** Concurrent calls that may wait for hooks. Each holds one of 20 connections, and notices sent by hooks take five more. */
export const HOOKED_CALLS_MAX = 12

/** Time in ms such a call waits for a slot; equals the wait for a connection. */
export const HOOKED_CALL_WAIT_MS = 10_000

/** Timeout in ms for a captcha provider, as in GoTrue. */
export const CAPTCHA_TIMEOUT_MS = 10_000

/** Attempts to send a message. With the delays below, the last one is about ten minutes after the first. */
export const MESSAGE_ATTEMPTS_MAX = 8

/** Shortest and longest delay between attempts to send a message, in ms. */
export const MESSAGE_BACKOFF_MS_MIN = 5_000
export const MESSAGE_BACKOFF_MS_MAX = 5 * 60_000

/** Lease in ms of a message claimed by a process, after which another process retries. Longer than a slow mail server takes. */
export const MESSAGE_LEASE_MS = 180_000

/** Concurrent messages per process: as many connections as mail servers accept from one client. */
export const MESSAGES_SENDING_MAX = 5

/** Timeout in ms for a silent mail server or text message API. */
export const MESSAGE_SEND_TIMEOUT_MS = 15_000

/** Time limit in ms for one mail, even if the server keeps responding. Well below the lease. */
export const MAIL_SEND_TIMEOUT_MS = 60_000

/** Interval in ms at which a process looks for due messages: retries, and those left by other processes. */
export const MESSAGE_LOOK_INTERVAL_MS = 5_000

/** Time in ms that closing the service waits for messages being sent. */
export const MESSAGE_DRAIN_MS = 2_000

/** Retention of messages in days, and the number of captured ones: a mailbox for development, not an archive. */
export const MESSAGE_DAYS_MAX = 7
export const CAPTURED_MESSAGES_MAX = 1_000

/** Limit of all captured messages in bytes, and the number of new ones that triggers an early cleanup. */
export const CAPTURED_BYTES_MAX = 64 * 1024 * 1024
export const CAPTURED_CLEAN_EACH = 100

/** Length limit in characters of a captured mail shown in the mailbox. */
export const CAPTURED_MESSAGE_CHARS_MAX = 1_000_000

/** Times of the cleanup of old messages, in ms: soon after startup, for servers that never run long, and then hourly. */
export const MESSAGE_CLEAN_AFTER_MS = 15_000
export const MESSAGE_CLEAN_INTERVAL_MS = 3_600_000

/** Security notifications per account and hour, so that repeated changes of a factor cannot flood a mailbox. */
export const NOTICES_PER_HOUR_MAX = 30

/** Messages per request for the captured mailbox. */
export const MESSAGES_PER_PAGE_MAX = 200

/** Memory in KiB, passes and threads accepted in an imported argon2 hash, as in GoTrue. Bounds the cost of a sign-in. */
export const ARGON2_MEMORY_KIB_MAX = 1024 * 1024
export const ARGON2_PASSES_MAX = 20
export const ARGON2_THREADS_MAX = 16

/** Memory limit in bytes for a scrypt hash from Firebase, whose own parameters need 16 MiB. */
export const SCRYPT_BYTES_MAX = 256 * 1024 * 1024

/** Timeout in ms for one response of an external provider, as in GoTrue. */
export const PROVIDER_TIMEOUT_MS = 10_000

/** Response limit in bytes of providers, captcha services and text message APIs. Discovery documents and key sets have a few KiB. */
export const PROVIDER_RESPONSE_BYTES_MAX = 1024 * 1024

/** Cache lifetime in ms of a provider's discovery document and keys. An unknown key id refreshes them earlier. */
export const PROVIDER_METADATA_AGE_MS = 10 * 60_000

/** Providers with cached metadata. */
export const PROVIDER_METADATA_MAX = 64

/** Custom providers per project. */
export const CUSTOM_PROVIDERS_MAX = 100

/** Limit of a provider's identity data as JSON in bytes. */
export const IDENTITY_DATA_BYTES_MAX = 16 * 1024

/** Retention of an unfinished flow in seconds. */
export const ABANDONED_FLOW_AGE_S = 24 * 3600

/** Redirect URIs per app, as in GoTrue. */
export const OAUTH_REDIRECT_URIS_MAX = 10

/** Length limit of an app's URI in characters, as in the columns. */
export const OAUTH_URI_CHARS_MAX = 2048

export const OAUTH_CLIENT_NAME_CHARS_MAX = 1024

/** Length limit in characters of values returned unchanged to an app, as in the columns. */
export const OAUTH_TEXT_CHARS_MAX = 4096

/** Time in seconds for a user's consent, as in GoTrue. */
export const OAUTH_AUTHORIZATION_LIFETIME_S = 600

/** Lifetime of a code in seconds. Apps use it at once, while the browser waits. */
export const OAUTH_CODE_LIFETIME_S = 300

/** Hours to keep used codes, so that reuse is detected. */
export const OAUTH_AUTHORIZATION_KEPT_HOURS = 24

/** Lifetime of an ID token in seconds, as in GoTrue. */
export const ID_TOKEN_LIFETIME_S = 3600

/** Highest cost accepted in an imported bcrypt hash. The first sign-in takes about five seconds and rehashes it. */
export const BCRYPT_COST_MAX = 16

/** Burst limit of wrong codes per address or number, from all clients together. */
export const WRONG_CODES_MAX = 10

/** Seconds until one more wrong code is allowed: 48 a day, so a year of guessing finds six digits with a probability of 2 %. */
export const WRONG_CODE_REFILL_S = 1_800

/** Seconds after which a row of `address_limits` is obsolete, because every bucket has emptied by then. */
export const ADDRESS_LIMIT_LIFETIME_S = 86_400

/** One in this many calls also deletes obsolete rows, and the number of rows deleted. */
export const ADDRESS_LIMITS_CLEANED_EVERY = 256
export const ADDRESS_LIMITS_CLEANED_MAX = 1_000

/** Age in ms up to which a sign-in allows a new password without reauthentication, as in GoTrue. */
export const RECENT_SIGN_IN_MS = 24 * 3_600_000

/**
 * Step in ms to which responses that may reveal accounts are rounded up. Longer than their work, so that they rarely take two steps, and
 * short enough for users.
 */
export const ANSWER_STEP_MS = 50

/** Cached session states of about 150 bytes each: 10 MiB, for more users than one process serves within a minute. */
export const SESSION_STATES_MAX = 65_536

/** Time in ms that a cached session state is trusted while notifications arrive. Bounds the effect of a lost notification. */
export const SESSION_STATE_TRUSTED_MS = 60_000

/** The same while notifications do not arrive: an ended session is then accepted for at most 5 s. */
export const SESSION_STATE_TRUSTED_UNHEARD_MS = 2_000

/** Sessions per statement. */
export const SESSIONS_ASKED_TOGETHER_MAX = 1_000

/** Interval in ms between checks of the sessions of open streams. */
export const SESSION_WATCH_TICK_MS = 1_000

/** Time in ms that an issuer's keys count as fresh. Later they are refreshed in the background. */
export const ISSUER_KEYS_FRESH_MS = 10 * 60_000

/** Age in ms after which keys of an unreachable issuer are no longer used, because one may have been revoked. */
export const ISSUER_KEYS_AGE_MS_MAX = 3600_000

/** Minimum interval in ms between fetches of an issuer's keys, so that tokens with random key ids cannot cause more. */
export const ISSUER_KEYS_PAUSE_MS = 30_000

/** Time in ms that a request waits for missing keys. */
export const ISSUER_KEYS_WAIT_MS = 5_000

/** Keys per issuer. Real issuers publish two to six. */
export const ISSUER_KEYS_MAX = 100

/** Length limit in characters of a third-party subject, as in OpenID Connect. */
export const SUBJECT_CHARS_MAX = 255

/** Bounds in seconds of a support session. */
export const SUPPORT_SESSION_S_MIN = 60
export const SUPPORT_SESSION_S_MAX = 24 * 3_600
