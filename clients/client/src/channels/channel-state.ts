/** State of a channel. No state is an error to display, because channels may be unavailable at any time. */
export type ChannelState =
  /** There is no connection or no signed-in user. Joins when there are both. */
  | { readonly kind: 'offline' }
  | { readonly kind: 'joining' }
  | { readonly kind: 'joined' }
  /** Access denied by the policies on `realtime.messages`; re-evaluated when the access token is refreshed. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The server does not respond or has no channels. Retried with growing delays. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Responses that will not change for the same access token. */
const REFUSALS = /^(?:Unauthorized|PrivateOnly|TopicNameRequired)\b/

/** Whether the reason of a failed join is a refusal rather than a failure. */
export function isRefusal(reason: string): boolean {
  return REFUSALS.test(reason)
}
