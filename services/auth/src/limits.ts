/** Bytes of a token in a request. Ours stay below 7 KiB with the largest metadata; more is an attempt to keep us busy. */
export const TOKEN_BYTES_MAX = 8 * 1024

/** Verified tokens remembered at once. At about 1 KiB each this is 4 MiB, and more people than one process serves at a time. */
export const VERIFIED_TOKENS_MAX = 4_096

/** Bytes of an answer about leaked passwords. The longest range has some 60 KiB, padded. */
export const LEAKED_PASSWORDS_BYTES_MAX = 256 * 1024

/** How long the service of leaked passwords may take, in milliseconds: a person waits for it, and mostly it takes 50. */
export const LEAKED_PASSWORDS_TIMEOUT_MS = 3_000

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

/** Milliseconds until a role that has become a superuser, or `BYPASSRLS`, is seen. Postgres announces no change of roles. */
export const ROLES_RELOAD_AFTER_MS = 10_000

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

/** How long a hook in Postgres may run, in milliseconds, as GoTrue's. */
export const PG_HOOK_TIMEOUT_MS = 2_000

/** How long a hook over HTTP may take, with all its attempts, in milliseconds, as GoTrue's. */
export const HTTP_HOOK_TIMEOUT_MS = 5_000

/** Attempts at a hook over HTTP, as GoTrue's. */
export const HTTP_HOOK_ATTEMPTS_MAX = 3

/** Delay in ms between attempts of an HTTP hook, as in GoTrue. */
export const HTTP_HOOK_BACKOFF_MS = 2_000

/** Bytes of an answer of a hook over HTTP, as GoTrue's. */
export const HTTP_HOOK_ANSWER_BYTES_MAX = 200 * 1024

/** Requests and other work that may wait for a hook at once, each with a connection: of 20, and notices that hooks send take five more. */
export const HOOKED_CALLS_MAX = 12

/** How long such work waits for its turn, in milliseconds: as long as for a connection. */
export const HOOKED_CALL_WAIT_MS = 10_000

/** How long a provider of captchas may take, in milliseconds, as GoTrue's. */
export const CAPTCHA_TIMEOUT_MS = 10_000

/** Attempts to send a mail or text message. With the waits below the last one is some ten minutes after the first. */
export const MESSAGE_ATTEMPTS_MAX = 8

/** The first and the longest wait between two attempts to send a message, in milliseconds. */
export const MESSAGE_BACKOFF_MS_MIN = 5_000
export const MESSAGE_BACKOFF_MS_MAX = 5 * 60_000

/** How long a message belongs to the process that took it, in milliseconds; after that another one tries. Above what a slow mail server takes. */
export const MESSAGE_LEASE_MS = 180_000

/** Messages that one process sends at once: as many connections as mail servers like from one client. */
export const MESSAGES_SENDING_MAX = 5

/** How long a mail server or an API of text messages may be silent, in milliseconds. */
export const MESSAGE_SEND_TIMEOUT_MS = 15_000

/** How long a mail server may take for one mail, in milliseconds, however often it says something. Well below the lease. */
export const MAIL_SEND_TIMEOUT_MS = 60_000

/** How often a process looks for messages that are due, in milliseconds: those that other processes have left, and those to be retried. */
export const MESSAGE_LOOK_INTERVAL_MS = 5_000

/** How long the end of the service waits for messages on their way, in milliseconds. */
export const MESSAGE_DRAIN_MS = 2_000

/** How long messages are kept, in days, and how many captured ones: a mailbox for development, not an archive. */
export const MESSAGE_DAYS_MAX = 7
export const CAPTURED_MESSAGES_MAX = 1_000

/** Bytes of all captured messages that are kept, the newest first; after how many new ones that is looked after before its hour has come. */
export const CAPTURED_BYTES_MAX = 64 * 1024 * 1024
export const CAPTURED_CLEAN_EACH = 100

/** Characters of a captured mail that the mailbox shows. */
export const CAPTURED_MESSAGE_CHARS_MAX = 1_000_000

/** When old messages are deleted: soon after the start, for servers that never run for long, and every hour; in milliseconds. */
export const MESSAGE_CLEAN_AFTER_MS = 15_000
export const MESSAGE_CLEAN_INTERVAL_MS = 3_600_000

/** Security notifications that one account gets in an hour: who adds and removes a factor over and over fills no mailbox. */
export const NOTICES_PER_HOUR_MAX = 30

/** Messages that one request for the captured mailbox reads. */
export const MESSAGES_PER_PAGE_MAX = 200

/** KiB, passes and threads of an argon2 hash that came with a dump, as GoTrue's: one sign-in must not take the machine. */
export const ARGON2_MEMORY_KIB_MAX = 1024 * 1024
export const ARGON2_PASSES_MAX = 20
export const ARGON2_THREADS_MAX = 16

/** Bytes that a scrypt hash from Firebase may need. Firebase's own parameters need 16 MiB. */
export const SCRYPT_BYTES_MAX = 256 * 1024 * 1024

/** How long an external provider may take for one answer, in milliseconds, as in GoTrue. */
export const PROVIDER_TIMEOUT_MS = 10_000

/** Bytes of one answer of an external provider, of captchas and of text messages too. Discovery documents and key sets have a few KiB. */
export const PROVIDER_RESPONSE_BYTES_MAX = 1024 * 1024

/** How long the description and the keys of a provider are kept, in milliseconds. An unknown key asks again earlier. */
export const PROVIDER_METADATA_AGE_MS = 10 * 60_000

/** Providers whose description and keys are kept at once. */
export const PROVIDER_METADATA_MAX = 64

/** Providers that administrators may make. */
export const CUSTOM_PROVIDERS_MAX = 100

/** Bytes of what a provider says about a person, as JSON. */
export const IDENTITY_DATA_BYTES_MAX = 16 * 1024

/** How long an unfinished flow is kept, in seconds. */
export const ABANDONED_FLOW_AGE_S = 24 * 3600

/** Addresses that an app may register, as in GoTrue. */
export const OAUTH_REDIRECT_URIS_MAX = 10

/** Characters of an address that belongs to an app, as the columns hold them. */
export const OAUTH_URI_CHARS_MAX = 2048

export const OAUTH_CLIENT_NAME_CHARS_MAX = 1024

/** Characters of what an app gets back as it was, as the columns hold them. */
export const OAUTH_TEXT_CHARS_MAX = 4096

/** How long a person may take to consent, in seconds, as in GoTrue. */
export const OAUTH_AUTHORIZATION_LIFETIME_S = 600

/** How long an app may take to use a code, in seconds. It does so while the browser waits. */
export const OAUTH_CODE_LIFETIME_S = 300

/** Hours that used codes are kept, so that a second use is recognised. */
export const OAUTH_AUTHORIZATION_KEPT_HOURS = 24

/** Life of an ID token, in seconds, as in GoTrue. */
export const ID_TOKEN_LIFETIME_S = 3600

/** The highest cost of a bcrypt hash that came with a dump: some five seconds for a sign-in, and that once. */
export const BCRYPT_COST_MAX = 16

/** Wrong codes that one address or number may be tried with at once, from however many places. */
export const WRONG_CODES_MAX = 10

/** Seconds until one more wrong code is let through: 48 a day, so that a year of trying finds six digits once in fifty times. */
export const WRONG_CODE_REFILL_S = 1_800

/** Seconds after which a row of `address_limits` says nothing any more: by then every bucket has leaked empty. */
export const ADDRESS_LIMIT_LIFETIME_S = 86_400

/** One in so many takes also deletes rows that are out of date, and how many at once. */
export const ADDRESS_LIMITS_CLEANED_EVERY = 256
export const ADDRESS_LIMITS_CLEANED_MAX = 1_000

/** How old a sign-in may be for a new password without another proof, in milliseconds; as in GoTrue. */
export const RECENT_SIGN_IN_MS = 24 * 3_600_000

/**
 * Answers that may tell who has an account come at a whole number of these after the question, in milliseconds: long for the work behind them, so
 * that a step is rarely missed, and short for people.
 */
export const ANSWER_STEP_MS = 50

/** Sessions whose state is remembered, some 150 bytes each: 10 MiB, and more than the people one process serves within a minute. */
export const SESSION_STATES_MAX = 65_536

/** Milliseconds for which a session's state is believed while its end would be announced; asked again after that, in case an announcement was lost. */
export const SESSION_STATE_TRUSTED_MS = 60_000

/** The same while announcements do not reach this process: a session that ended is accepted for at most 5 s. */
export const SESSION_STATE_TRUSTED_UNHEARD_MS = 2_000

/** Sessions asked for in one statement. */
export const SESSIONS_ASKED_TOGETHER_MAX = 1_000

/** Milliseconds between two looks at the sessions of open streams. */
export const SESSION_WATCH_TICK_MS = 1_000

/** How long the published keys of a third-party issuer count as fresh, in milliseconds; then they are read again behind the requests. */
export const ISSUER_KEYS_FRESH_MS = 10 * 60_000

/** Age in ms after which keys of an unreachable issuer are no longer used, because one may have been revoked. */
export const ISSUER_KEYS_AGE_MS_MAX = 3600_000

/** The least time between two readings of an issuer's keys, in milliseconds: whoever sends tokens that name keys at random causes no more than that. */
export const ISSUER_KEYS_PAUSE_MS = 30_000

/** How long a request waits for keys that are not there, in milliseconds. */
export const ISSUER_KEYS_WAIT_MS = 5_000

/** Keys that one issuer may publish. Real ones have two to six. */
export const ISSUER_KEYS_MAX = 100

/** Characters of the subject of a third-party token, as OpenID Connect allows them. */
export const SUBJECT_CHARS_MAX = 255
