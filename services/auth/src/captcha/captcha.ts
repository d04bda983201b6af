/** Judges the `captcha_token` of `gotrue_meta_security`. */
export interface Captcha {
  /**
   * Does nothing when no captcha is asked for.
   *
   * @throws {HoldfastError} `captcha_failed`
   */
  require(token: string | undefined, address: string): Promise<void>
}
