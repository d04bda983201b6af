/** Provides tokens for uploads and file transfers. */
export interface TokenSource {
  /** @returns a token, or `undefined` if no user is signed in. @throws if it cannot be determined now */
  token(): Promise<string | undefined>
  /** Returns a new token after the server rejected the current one; `undefined` if the user must sign in again. */
  refreshedToken(): Promise<string | undefined>
}
