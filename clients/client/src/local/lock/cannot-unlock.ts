const WORDS = {
  wrong_password: 'This is not the password that was last used here.',
  too_many: 'Too many wrong passwords.',
  no_password: 'This account has never signed in here with a password. Sign in while connected.',
  no_key: 'The key of the server does not open the data on this device.',
} as const

/** Locked data could not be opened. */
export class CannotUnlock extends Error {
  override readonly name = 'CannotUnlock'
  readonly reason: keyof typeof WORDS
  /** For `too_many`: seconds until the next attempt. */
  readonly seconds: number

  constructor(reason: keyof typeof WORDS, seconds = 0) {
    super(WORDS[reason])
    this.reason = reason
    this.seconds = seconds
  }
}
