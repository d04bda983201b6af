import { throttleLatest, type ChannelOptions, type ChannelState } from '@holdfast/client'
import { useEffect, useEffectEvent, useMemo } from 'react'
import { NOT_USED, useChannel } from './use-channel.ts'
import { useValue } from './use-value.ts'

export interface BroadcastOptions<Payload extends object> extends ChannelOptions {
  /** Maximum messages per second; intermediate ones are replaced by the newest. Default: unlimited. */
  readonly perSecond?: number
  /** Validates messages of other clients; return `undefined` to drop one. Default: accepted unchecked as `Payload`. */
  readonly parse?: (sent: unknown) => Payload | undefined
}

export interface LiveBroadcast<Payload extends object> {
  /** Sends to all other users of the topic. Dropped if it cannot be sent now. */
  readonly send: (payload: Payload) => void
  readonly channel: ChannelState
}

/**
 * Ephemeral messages between users of a topic: at most once, never stored. Shares the channel of `usePresence` with the same topic.
 *
 * @param topic - a private channel, controlled by policies on `realtime.messages`; `undefined` joins nothing
 * @param onMessage - called for messages of others; may change on every render
 */
export function useBroadcast<Payload extends object>(
  topic: string | undefined,
  event: string,
  onMessage?: (payload: Payload) => void,
  options: BroadcastOptions<Payload> = {},
): LiveBroadcast<Payload> {
  const { perSecond, parse } = options
  const channel = useChannel(topic, options)
  const receive = useEffectEvent((sent: unknown) => {
    const payload = parse ? parse(sent) : (sent as Payload)
    if (payload !== undefined) onMessage?.(payload)
  })
  useEffect(() => channel?.listen(event, (sent) => receive(sent)), [channel, event])
  const send = useMemo(() => {
    const sendNow = (payload: Payload): void => void channel?.send(event, payload)
    return perSecond === undefined ? undefined : throttleLatest(sendNow, 1_000 / perSecond)
  }, [channel, event, perSecond])
  useEffect(() => () => send?.cancel(), [send])
  const state = useValue(channel?.state ?? NOT_USED)
  return useMemo(
    () => ({ send: send ?? ((payload: Payload) => void channel?.send(event, payload)), channel: state }),
    [send, channel, event, state],
  )
}
