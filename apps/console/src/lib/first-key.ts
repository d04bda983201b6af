/** The key of an invitation link. It is in the fragment, which browsers do not send, and leaves the address at once. */
let key: string | undefined

/** Takes the key out of the address. Called once, before the first render. */
export function takeKey(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('key')
  if (given === null) return
  key = given
  history.replaceState(history.state, '', location.pathname + location.search)
}

export function invitationKey(): string | undefined {
  return key
}

export function forgetKey(): void {
  key = undefined
}
