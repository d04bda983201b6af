/** Lifetime in seconds of a challenge and of an unverified factor, as in GoTrue. */
export const CHALLENGE_LIFETIME_S = 300

/** Failed attempts per factor within {@link FACTOR_ATTEMPTS_WINDOW_S}. Guessing a code at this rate takes years. */
export const FACTOR_ATTEMPTS_MAX = 10

/** Seconds until failed attempts on a factor are forgotten, counted from the first. */
export const FACTOR_ATTEMPTS_WINDOW_S = 300

/** Length limits in characters of a factor's name and an issuer, which appear in lists and in a QR code. */
export const FACTOR_NAME_CHARS_MAX = 255
export const ISSUER_CHARS_MAX = 255

/** Recovery codes per set. */
export const RECOVERY_CODES = 10
