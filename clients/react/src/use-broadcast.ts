import { throttleLatest, type ChannelOptions, type ChannelState } from '@holdfast/client'
import { useEffect, useEffectEvent, useMemo } from 'react'
import { NOT_USED, useChannel } from './use-channel.ts'
import { useValue } from './use-value.ts'

export interface BroadcastOptions<Payload extends object> extends ChannelOptions {
  /** Sends at most so many messages a second: of those in between the newest. Default: all. */
  readonly perSecond?: number
  /** Reads what others sent, and drops what it gives `undefined` for: it comes from their devices, unchecked. Default: it is taken for a `Payload` as it is. */
  readonly parse?: (sent: unknown) => Payload | undefined
}

export interface LiveBroadcast<Payload extends object> {
  /** Sends to everybody else who has the topic on the screen. What cannot be sent now is dropped. */
  readonly send: (payload: Payload) => void
  readonly channel: ChannelState
}

/**
 * Messages between those who have the same topic on the screen: at most once, never kept. The channel is that of `usePresence` with the same topic.
 *
 * @param topic - a private channel, which policies on `realtime.messages` decide about; `undefined` joins nothing
 * @param onMessage - is called for what others send; it may be another function at every render
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
