/** How a channel stands. None of its forms is an error to show: what goes through channels may be missing at any time. */
export type ChannelState =
  /** No connection, or no user is signed in. It is joined when both are there. */
  | { readonly kind: 'offline' }
  | { readonly kind: 'joining' }
  | { readonly kind: 'joined' }
  /** The policies on `realtime.messages` do not let this user in. It is asked again with the next access token. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The server does not answer, or serves no channels. It is tried again, ever more rarely. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Answers of the server that trying again with the same access token does not change. */
const REFUSALS = /^(?:Unauthorized|PrivateOnly|TopicNameRequired)\b/

/** Whether the reason of a failed join is a decision. */
export function isRefusal(reason: string): boolean {
  return REFUSALS.test(reason)
}
