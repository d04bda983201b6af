/** Life of a challenge in seconds, and of a factor that was never verified, as GoTrue's. */
export const CHALLENGE_LIFETIME_S = 300

/** Wrong answers that one factor takes in {@link FACTOR_ATTEMPTS_WINDOW_S}. At this rate a code is guessed after some years. */
export const FACTOR_ATTEMPTS_MAX = 10

/** Seconds after which wrong answers for a factor are forgotten, counted from the first. */
export const FACTOR_ATTEMPTS_WINDOW_S = 300

/** Characters of a factor's name, of an issuer. They are shown in lists, and travel in a QR code. */
export const FACTOR_NAME_CHARS_MAX = 255
export const ISSUER_CHARS_MAX = 255

/** Recovery codes in a set. */
export const RECOVERY_CODES = 10
