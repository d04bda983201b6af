/** Passkeys per user, as in GoTrue. */
export const PASSKEYS_MAX = 10

/** Length limit of a passkey's name in bytes. */
export const PASSKEY_NAME_BYTES_MAX = 120

/** Lifetime of a challenge in seconds, as in GoTrue. */
export const PASSKEY_CHALLENGE_LIFETIME_S = 300

/** Expired challenges removed with each new one, so that they do not accumulate. */
export const EXPIRED_CHALLENGES_REMOVED = 20
