/** Passkeys that one person may have, as GoTrue's. */
export const PASSKEYS_MAX = 10

/** Bytes of a passkey's name. */
export const PASSKEY_NAME_BYTES_MAX = 120

/** Life of a challenge in seconds, as GoTrue's. */
export const PASSKEY_CHALLENGE_LIFETIME_S = 300

/** Challenges that are over and are removed with each new one, so that they do not pile up. */
export const EXPIRED_CHALLENGES_REMOVED = 20
